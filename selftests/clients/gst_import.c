// SPDX-License-Identifier: GPL-2.0-only
/*
 * gst_import CASE CAMERA SCREEN: GStreamer with frames in buffers of the
 * noncoherent heap, to run under `heapsim run`. No element of GStreamer 1.22
 * takes memory from a heap, but any application may: it answers the ALLOCATION
 * query that a source asks downstream with a pool of its own. The elements are
 * the packages', and bracket what they map, as GstDmaBufAllocator does.
 *
 *	look		camera to application, which looks at the frames
 *	change		an element draws into the camera's frames on the way
 *	draw		an element draws what a screen shows
 *	pass		camera to screen
 *
 * and with a mistake of the application:
 *
 *	no-start	camera to screen; looks at one frame that the screen
 *			shows outside any bracket
 *	no-end		draws into one that the screen is to show, without END
 *
 * v4l2src itself lets go of a buffer before it hands it on, and that takes in:
 * who looks at its frames without START has them whole.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <gst/allocators/gstdmabuf.h>
#include <gst/app/gstappsink.h>
#include <gst/gst.h>
#include <gst/video/gstvideopool.h>
#include <gst/video/video.h>

#include "../corpus/corpus.h"

#define NR_FRAMES	8
#define MISTAKEN_FRAME	5

#define CAPS		"video/x-raw,format=BGRx,width=320,height=180"
#define CAMERA		"v4l2src device=%s io-mode=dmabuf-import " \
			"num-buffers=8 ! " CAPS
#define SLOWLY		",framerate=15/1 ! "
#define GREY		"videobalance name=grey saturation=0 ! "
#define PATTERN		"videotestsrc num-buffers=8 pattern=ball ! " CAPS \
			",colorimetry=sRGB ! "
#define SCREEN		"v4l2sink name=sink device=%s " \
			"io-mode=dmabuf-import sync=false"
#define APPLICATION	"appsink name=sink sync=false"

static const struct pipeline {
	const char *name;
	const char *launch;	/* with one %s for each device */
	const char *offers;	/* the element that offers a heap's memory */
	bool has_camera;
	bool has_screen;
	bool is_grey;
	bool is_no_start;
	bool is_no_end;
} pipelines[] = {
	{ "look", CAMERA SLOWLY APPLICATION, "sink", .has_camera = true },
	{ "change", CAMERA SLOWLY GREY APPLICATION, "grey", .has_camera = true,
	  .is_grey = true },
	{ "draw", PATTERN SCREEN, "sink", .has_screen = true },
	{ "no-end", PATTERN SCREEN, "sink", .has_screen = true,
	  .is_no_end = true },
	{ "pass", CAMERA " ! " SCREEN, "sink", .has_camera = true,
	  .has_screen = true },
	{ "no-start", CAMERA " ! " SCREEN, "sink", .has_camera = true,
	  .has_screen = true, .is_no_start = true },
};

#define NR_PIPELINES	(sizeof(pipelines) / sizeof(*pipelines))

static const struct pipeline *pipeline;
static GstAllocator *allocator;
static unsigned int nr_bufs, nr_frames;
static int dev;

static GstMemory *heap_alloc(GstAllocator *heap, gsize size,
			     GstAllocationParams *params)
{
	int fd = fd_alloc(size, O_RDWR);

	nr_bufs++;
	return gst_dmabuf_allocator_alloc(heap, fd, size);
}

static void heap_class_init(void *class, void *unused)
{
	GST_ALLOCATOR_CLASS(class)->alloc = heap_alloc;
}

/* The parent class only wraps descriptors, but this allocator allocates. */
static void heap_init(GTypeInstance *instance, void *class)
{
	GST_OBJECT_FLAG_UNSET(instance, GST_ALLOCATOR_FLAG_CUSTOM_ALLOC);
}

static GstAllocator *heap_new(void)
{
	GType type;

	type = g_type_register_static_simple(GST_TYPE_DMABUF_ALLOCATOR,
					     "HeapAllocator",
					     sizeof(GstDmaBufAllocatorClass),
					     heap_class_init,
					     sizeof(GstDmaBufAllocator),
					     heap_init, 0);
	return gst_object_ref_sink(g_object_new(type, NULL));
}

static GstPadProbeReturn offer(GstPad *pad, GstPadProbeInfo *info, void *unused)
{
	GstQuery *query = GST_PAD_PROBE_INFO_QUERY(info);
	GstBufferPool *pool;
	GstStructure *config;
	GstVideoInfo video;
	GstCaps *caps;

	if (GST_QUERY_TYPE(query) != GST_QUERY_ALLOCATION)
		return GST_PAD_PROBE_OK;
	gst_query_parse_allocation(query, &caps, NULL);
	need(caps && gst_video_info_from_caps(&video, caps), "know the caps");
	pool = gst_video_buffer_pool_new();
	config = gst_buffer_pool_get_config(pool);
	gst_buffer_pool_config_set_params(config, caps, video.size, 4, 0);
	gst_buffer_pool_config_set_allocator(config, allocator, NULL);
	need(gst_buffer_pool_set_config(pool, config), "set up a pool");
	gst_query_add_allocation_param(query, allocator, NULL);
	gst_query_add_allocation_pool(query, pool, video.size, 4, 0);
	gst_query_add_allocation_meta(query, GST_VIDEO_META_API_TYPE, NULL);
	gst_object_unref(pool);
	return GST_PAD_PROBE_HANDLED;
}

/*
 * vivid's last rows have only colour bars, so each equals the row above and has
 * many colours; or no colours, if an element has removed them.
 */
static bool is_picture(const uint8_t *frame, size_t len)
{
	const size_t pitch = 320 * 4;
	const uint8_t *row = frame + len - 2 * pitch;
	unsigned int nr_steps = 0;
	size_t x;

	for (x = 4; x < pitch; x += 4) {
		nr_steps += !!memcmp(row + x, row + x - 4, 3);
		if (pipeline->is_grey && (abs(row[x] - row[x + 1]) > 2 ||
					  abs(row[x] - row[x + 2]) > 2))
			return false;
	}
	return nr_steps >= 5 && !memcmp(row, row + pitch, pitch);
}

/* Returns the only memory of a frame, which must be of the heap. */
static GstMemory *memory_of(GstBuffer *frame)
{
	GstMemory *memory = gst_buffer_peek_memory(frame, 0);

	check(gst_buffer_n_memory(frame) == 1);
	check(memory->allocator == allocator);
	return memory;
}

static uint64_t sum_of_frame(GstBuffer *frame)
{
	GstMapInfo map;
	uint64_t sum;

	need(gst_buffer_map(frame, &map, GST_MAP_READ), "map a frame");
	if (pipeline->has_camera)
		check(is_picture(map.data, map.size));
	sum = sum_of(map.data, map.size);
	gst_buffer_unmap(frame, &map);
	return sum;
}

/* Maps a frame in the application, which must use its own brackets. */
static struct buf map_of(GstBuffer *frame)
{
	struct buf buf = {
		.fd = gst_dmabuf_memory_get_fd(memory_of(frame)),
		.len = gst_buffer_get_size(frame),
	};

	buf.map = fd_map(buf.fd, buf.len);
	return buf;
}

static void look_at(GstBuffer *frame)
{
	static uint64_t last_sum;
	uint64_t sum;

	memory_of(frame);
	sum = sum_of_frame(frame);
	/* vivid writes the time into each frame. */
	check(sum != last_sum);
	last_sum = sum;
}

/* Reads a frame again, like a screenshot, while the screen holds it. */
static void look_at_shown(GstBuffer *frame)
{
	struct buf buf = map_of(frame);

	if (pipeline->is_no_start && nr_frames == MISTAKEN_FRAME)
		sum_of(buf.map, buf.len);
	else
		check(sum_of_frame(frame) == dev_sum(dev, &buf, 0, buf.len));
	munmap(buf.map, buf.len);
}

/* A screen reads memory, so no line of the frame may be dirty. */
static void show(GstBuffer *frame)
{
	struct buf buf = map_of(frame);

	if (pipeline->is_no_end && nr_frames == MISTAKEN_FRAME) {
		fd_sync(buf.fd, START_WRITE);
		memset(buf.map, 0x5f, PAGE);
	}
	check(dev_sum(dev, &buf, 0, buf.len) == sum_of_frame(frame));
	munmap(buf.map, buf.len);
}

static GstPadProbeReturn on_show(GstPad *pad, GstPadProbeInfo *info,
				 void *unused)
{
	static GstBuffer *shown;

	if (shown)
		look_at_shown(shown);
	show(GST_PAD_PROBE_INFO_BUFFER(info));
	gst_buffer_replace(&shown, GST_PAD_PROBE_INFO_BUFFER(info));
	if (++nr_frames == NR_FRAMES)
		gst_buffer_replace(&shown, NULL);
	return GST_PAD_PROBE_OK;
}

static void look_at_all(GstElement *sink)
{
	GstSample *sample;

	while ((sample = gst_app_sink_pull_sample(GST_APP_SINK(sink)))) {
		look_at(gst_sample_get_buffer(sample));
		gst_sample_unref(sample);
		nr_frames++;
	}
}

static void wait_for_end(GstElement *bin)
{
	GstBus *bus = gst_element_get_bus(bin);
	GstMessage *message;
	GError *error;
	char *detail;

	message = gst_bus_timed_pop_filtered(bus, 60 * GST_SECOND,
					     GST_MESSAGE_ERROR |
					     GST_MESSAGE_EOS);
	need(message, "come to an end");
	if (GST_MESSAGE_TYPE(message) == GST_MESSAGE_ERROR) {
		gst_message_parse_error(message, &error, &detail);
		fprintf(stderr, "%s: %s\n", error->message, detail);
		exit(2);
	}
	gst_message_unref(message);
	gst_object_unref(bus);
}

static GstElement *build(const char *camera, const char *screen)
{
	const char *first = pipeline->has_camera ? camera : screen;
	GError *error = NULL;
	GstElement *bin;
	char *launch;

	launch = g_strdup_printf(pipeline->launch, first, screen);
	bin = gst_parse_launch(launch, &error);
	if (!bin || error) {
		fprintf(stderr, "%s: %s\n", launch, error->message);
		exit(2);
	}
	g_free(launch);
	return bin;
}

static void run(const char *camera, const char *screen)
{
	GstElement *bin = build(camera, screen);
	GstElement *offers = gst_bin_get_by_name(GST_BIN(bin),
						 pipeline->offers);
	GstElement *sink = gst_bin_get_by_name(GST_BIN(bin), "sink");
	GstPad *pad;

	pad = gst_element_get_static_pad(offers, "sink");
	gst_pad_add_probe(pad, GST_PAD_PROBE_TYPE_QUERY_DOWNSTREAM, offer,
			  NULL, NULL);
	gst_object_unref(pad);
	if (pipeline->has_screen) {
		pad = gst_element_get_static_pad(sink, "sink");
		gst_pad_add_probe(pad, GST_PAD_PROBE_TYPE_BUFFER, on_show,
				  NULL, NULL);
		gst_object_unref(pad);
	}
	gst_element_set_state(bin, GST_STATE_PLAYING);
	if (!pipeline->has_screen)
		look_at_all(sink);
	wait_for_end(bin);
	gst_element_set_state(bin, GST_STATE_NULL);
	gst_object_unref(sink);
	gst_object_unref(offers);
	gst_object_unref(bin);
}

int main(int argc, char **argv)
{
	size_t i;

	gst_init(&argc, &argv);
	for (i = 0; argc > 3 && i < NR_PIPELINES; i++)
		if (!strcmp(argv[1], pipelines[i].name))
			pipeline = &pipelines[i];
	if (!pipeline) {
		fputs("usage: gst_import CASE CAMERA SCREEN\n", stderr);
		return 2;
	}
	dev = dev_open();
	allocator = heap_new();
	run(argv[2], argv[3]);
	gst_object_unref(allocator);
	close(dev);
	check(nr_frames == NR_FRAMES);
	check(nr_bufs >= 2);
	printf("%u frames in %u buffers\n", nr_frames, nr_bufs);
	return 0;
}
