// SPDX-License-Identifier: GPL-2.0-only
/*
 * A camera, CUDA and a writer of PNGs pass frames over two pipes: as threads of
 * one process, or as three processes. See README.rst.
 *
 * camera-pipes [three] [released] [/dev/videoN] [DIRECTORY]
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/videodev2.h>
#include <png.h>
#include <poll.h>
#include <pthread.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sample.h"

#define WIDTH		320
#define HEIGHT		180
#define NR_FRAMES	16		/* that the camera makes */
#define NR_BUFFERS	4		/* of each pipe */
#define WAIT_NS		(30 * 1000000000ULL)

#define MEM(call)	check_mem(call, #call, __LINE__)

static void check_mem(int err, const char *call, int line)
{
	if (err >= 0)
		return;
	fprintf(stderr, "camera-pipes.cu:%d: %s: %s\n", line, call,
		strerror(-err));
	exit(2);
}

/* What the program was asked for */
static bool is_three, is_released;
static const char *device, *directory;

/* A pipe on its way from the stage that has it to the one that feeds it */

struct link {
	const char *name;
	struct mem_pipe *pipe;
	pthread_mutex_t lock;
	pthread_cond_t offered;
};

static struct link captured = {
	"captured", NULL, PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER
};
static struct link drawn = {
	"drawn", NULL, PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER
};
static pid_t parent;

static struct mem_endpoint *endpoint_of(const struct link *link,
					struct mem_ctx *ctx)
{
	struct mem_endpoint *endpoint;
	char name[MEM_ENDPOINT_NAME_LEN];

	snprintf(name, sizeof(name), "camera-pipes.%d.%s", (int)parent,
		 link->name);
	MEM(mem_endpoint_open(ctx, name, WAIT_NS, &endpoint));
	return endpoint;
}

/*
 * The consumer makes the pipe, and connects first. A fifo keeps all frames, and
 * without reuse each one comes back once it is released.
 */
static struct mem_pipe_end *link_offer(struct link *link, struct mem_ctx *ctx)
{
	struct mem_pipe_params params = {};
	struct mem_pipe_end *end;
	struct mem_pipe *pipe;

	params.size = sizeof(params);
	params.length = NR_BUFFERS;
	params.flags = MEM_PIPE_NO_REUSE;
	MEM(mem_pipe_create(ctx, &params, &pipe));
	MEM(mem_pipe_connect_consumer(pipe, ctx, &end));
	if (is_three) {
		MEM(mem_pipe_export(pipe, endpoint_of(link, ctx)));
		mem_pipe_destroy(pipe);
		return end;
	}
	pthread_mutex_lock(&link->lock);
	link->pipe = pipe;
	pthread_cond_signal(&link->offered);
	pthread_mutex_unlock(&link->lock);
	return end;
}

static struct mem_pipe_end *link_take(struct link *link, struct mem_ctx *ctx)
{
	struct mem_pipe_end *end;
	struct mem_pipe *pipe;

	if (is_three) {
		MEM(mem_pipe_import(endpoint_of(link, ctx), WAIT_NS, &pipe));
	} else {
		pthread_mutex_lock(&link->lock);
		while (!link->pipe)
			pthread_cond_wait(&link->offered, &link->lock);
		pipe = link->pipe;
		pthread_mutex_unlock(&link->lock);
	}
	MEM(mem_pipe_connect_producer(pipe, ctx, WIDTH, HEIGHT, &end));
	mem_pipe_destroy(pipe);
	return end;
}

static struct mem_frame frame_new(void)
{
	struct mem_frame frame = {};

	frame.size = sizeof(frame);
	return frame;
}

/* Memory that CUDA and the CPU use, without a copy */

/**
 * struct memory - memory of a frame
 * @object: has the memory
 * @ptr: first byte, for kernels
 * @pitch: bytes from row to row
 */
struct memory {
	struct mem_object *object;
	void *ptr;
	uint32_t pitch;
};

#define ONE(key, value)	{ key, 0, &value, sizeof(value) }

/* Libmem finds memory and a pitch that suit the CPU and the GPU. */
static void memory_alloc(struct memory *memory, struct mem_ctx *ctx,
			 const char *name, uint32_t fourcc)
{
	const uint32_t image = MEM_ATTR_TYPE_IMAGE, writes = MEM_RW;
	const uint32_t linear = MEM_LAYOUT_PITCH_LINEAR, nr_planes = 1;
	const uint32_t width = WIDTH, height = HEIGHT;
	const uint64_t gpu = 1 << MEM_ENGINE_GPU;
	const uint8_t yes = 1;
	const struct mem_attr values[] = {
		ONE(MEM_ATTR_TYPES, image),
		ONE(MEM_ATTR_NEED_CPU_ACCESS, yes),
		ONE(MEM_ATTR_REQUIRED_PERM, writes),
		ONE(MEM_ATTR_ENGINES, gpu),
		ONE(MEM_ATTR_IMAGE_LAYOUT, linear),
		ONE(MEM_ATTR_IMAGE_PLANE_COUNT, nr_planes),
		ONE(MEM_ATTR_IMAGE_PLANE_FORMAT, fourcc),
		ONE(MEM_ATTR_IMAGE_PLANE_WIDTH, width),
		ONE(MEM_ATTR_IMAGE_PLANE_HEIGHT, height),
	};
	struct mem_attr pitch = { MEM_ATTR_IMAGE_PLANE_PITCH, 0, NULL, 0 };
	struct mem_attrs *list, *result;

	MEM(mem_attrs_create(ctx, &list));
	MEM(mem_attrs_set(list, values, sizeof(values) / sizeof(values[0])));
	MEM(mem_attrs_reconcile(&list, 1, &result, NULL));
	MEM(mem_object_alloc(result, name, &memory->object));
	MEM(mem_attrs_get(result, 0, &pitch, 1));
	memory->pitch = *(const uint32_t *)pitch.value;
	mem_attrs_destroy(result);
	mem_attrs_destroy(list);
	MEM(mem_object_device_ptr(memory->object, &memory->ptr));
}

/* The camera: a V4L2 device that captures into dma-bufs, or the CPU */

struct picture {
	struct memory memory;
	int fd;			/* of its dma-buf */
};

static void picture_create(struct picture *picture, struct mem_ctx *ctx)
{
	memory_alloc(&picture->memory, ctx, "picture",
		     MEM_FOURCC('A', 'R', '2', '4'));
	MEM(mem_object_fd(picture->memory.object, &picture->fd));
}

static void picture_destroy(struct picture *picture)
{
	close(picture->fd);
	mem_object_put(picture->memory.object);
}

static void video(int fd, unsigned long cmd, const char *name, void *arg)
{
	int ret;

	do {
		ret = ioctl(fd, cmd, arg);
	} while (ret < 0 && errno == EINTR);
	if (ret < 0) {
		fprintf(stderr, "%s: %s: %s\n", device, name, strerror(errno));
		exit(2);
	}
}

#define VIDEO(fd, cmd, arg)	video(fd, cmd, #cmd, arg)

static int video_open(uint32_t pitch)
{
	struct v4l2_requestbuffers request = {};
	struct v4l2_format format = {};
	struct v4l2_pix_format *pix = &format.fmt.pix;
	const int fd = open(device, O_RDWR | O_CLOEXEC);
	int input = 0;

	if (fd < 0) {
		perror(device);
		exit(2);
	}
	format.type = V4L2_BUF_TYPE_VIDEO_CAPTURE;
	pix->width = WIDTH;
	pix->height = HEIGHT;
	pix->pixelformat = V4L2_PIX_FMT_XBGR32;
	pix->field = V4L2_FIELD_NONE;
	pix->bytesperline = pitch;
	VIDEO(fd, VIDIOC_S_INPUT, &input);
	VIDEO(fd, VIDIOC_S_FMT, &format);
	if (pix->pixelformat != V4L2_PIX_FMT_XBGR32 || pix->width != WIDTH ||
	    pix->height != HEIGHT || pix->bytesperline != pitch) {
		fprintf(stderr, "%s: has no %dx%d pixels of XBGR32\n", device,
			WIDTH, HEIGHT);
		exit(2);
	}
	request.count = NR_BUFFERS;
	request.type = V4L2_BUF_TYPE_VIDEO_CAPTURE;
	request.memory = V4L2_MEMORY_DMABUF;
	VIDEO(fd, VIDIOC_REQBUFS, &request);
	return fd;
}

static struct v4l2_buffer video_buffer(void)
{
	struct v4l2_buffer buffer = {};

	buffer.type = V4L2_BUF_TYPE_VIDEO_CAPTURE;
	buffer.memory = V4L2_MEMORY_DMABUF;
	return buffer;
}

static void video_queue(int fd, const struct picture *pictures, unsigned int i)
{
	struct v4l2_buffer buffer = video_buffer();

	buffer.index = i;
	buffer.m.fd = pictures[i].fd;
	VIDEO(fd, VIDIOC_QBUF, &buffer);
}

static unsigned int video_dequeue(int fd)
{
	struct v4l2_buffer buffer = video_buffer();

	VIDEO(fd, VIDIOC_DQBUF, &buffer);
	return buffer.index;
}

/* A white square that moves to the right. */
static void draw(const struct memory *memory, int nr)
{
	void *base;
	int x, y;

	MEM(mem_object_cpu_ptr(memory->object, MEM_RW, &base));
	MEM(mem_object_begin(memory->object, MEM_WRITE));
	for (y = 0; y < HEIGHT; y++) {
		uint32_t *row = (uint32_t *)((char *)base + y * memory->pitch);

		for (x = 0; x < WIDTH; x++)
			row[x] = x >= 10 * nr + 20 && x < 10 * nr + 80 &&
				 y >= 60 && y < 120 ? 0xffffff : 0x203040;
	}
	MEM(mem_object_end(memory->object, MEM_WRITE));
}

/**
 * struct camera - the buffers of the camera that it has, in their order
 * @fd: device; -1: the CPU draws
 * @pictures: all buffers
 * @queue: their indices
 * @nr: number in @queue
 * @nr_made: number of frames made so far
 */
struct camera {
	int fd;
	struct picture pictures[NR_BUFFERS];
	unsigned int queue[NR_BUFFERS];
	unsigned int nr;
	int nr_made;
};

static void camera_give(struct camera *camera, unsigned int i)
{
	if (camera->fd >= 0)
		video_queue(camera->fd, camera->pictures, i);
	camera->queue[camera->nr++] = i;
}

/* Returns the buffer of the next frame. */
static unsigned int camera_take(struct camera *camera)
{
	const unsigned int i = camera->fd >= 0 ? video_dequeue(camera->fd) :
						 camera->queue[0];

	camera->nr--;
	memmove(camera->queue, camera->queue + 1,
		camera->nr * sizeof(camera->queue[0]));
	if (camera->fd < 0)
		draw(&camera->pictures[i].memory, camera->nr_made);
	camera->nr_made++;
	return i;
}

static void camera_open(struct camera *camera, struct mem_ctx *ctx)
{
	int type = V4L2_BUF_TYPE_VIDEO_CAPTURE;
	unsigned int i;

	camera->nr = 0;
	camera->nr_made = 0;
	for (i = 0; i < NR_BUFFERS; i++)
		picture_create(&camera->pictures[i], ctx);
	camera->fd = device ? video_open(camera->pictures[0].memory.pitch) : -1;
	for (i = 0; i < NR_BUFFERS; i++)
		camera_give(camera, i);
	if (device)
		VIDEO(camera->fd, VIDIOC_STREAMON, &type);
}

static void camera_close(struct camera *camera)
{
	int type = V4L2_BUF_TYPE_VIDEO_CAPTURE;
	unsigned int i;

	if (device) {
		VIDEO(camera->fd, VIDIOC_STREAMOFF, &type);
		close(camera->fd);
	}
	for (i = 0; i < NR_BUFFERS; i++)
		picture_destroy(&camera->pictures[i]);
}

/*
 * Gets buffers back until the camera has so many. V4L2 knows no fences: the
 * camera gets a buffer when nobody uses it any more.
 */
static void camera_refill(struct camera *camera, unsigned int nr,
			  struct mem_pipe_end *end, struct mem_stream *stream)
{
	struct mem_frame frame = frame_new();

	while (camera->nr < nr) {
		MEM(mem_pipe_return(end, stream, WAIT_NS, &frame));
		MEM(mem_stream_sync(stream));
		camera_give(camera, (unsigned int)(uintptr_t)frame.user);
	}
}

static void *capture(void *unused)
{
	struct mem_frame frame = frame_new();
	struct camera camera;
	struct mem_stream *stream;
	struct mem_pipe_end *to;
	struct mem_ctx *ctx;
	unsigned int i;

	MEM(mem_ctx_open(NULL, &ctx));
	MEM(mem_stream_create(ctx, 0, 0, &stream));
	camera_open(&camera, ctx);
	to = link_take(&captured, ctx);
	while (camera.nr_made < NR_FRAMES) {
		camera_refill(&camera, NR_BUFFERS / 2, to, stream);
		i = camera_take(&camera);
		frame.nr_planes = 1;
		frame.planes[0].base = camera.pictures[i].memory.ptr;
		frame.planes[0].width = WIDTH;
		frame.planes[0].height = HEIGHT;
		frame.planes[0].pixel_len = 4;
		frame.planes[0].pitch = camera.pictures[i].memory.pitch;
		frame.user = (void *)(uintptr_t)i;
		MEM(mem_pipe_present(to, &frame, stream, WAIT_NS));
	}
	/* A disconnection would discard frames that nobody has seen yet. */
	camera_refill(&camera, NR_BUFFERS, to, stream);
	mem_pipe_end_destroy(to);
	camera_close(&camera);
	mem_stream_destroy(stream);
	mem_ctx_close(ctx);
	return unused;
}

/* CUDA: the edges of each picture */

__device__ static int grey(const uint8_t *pixel)
{
	return (pixel[0] + 4 * pixel[1] + 2 * pixel[2]) / 7;
}

__global__ void find_edges(const uint8_t *from, uint32_t from_pitch,
			   uint8_t *to, uint32_t to_pitch)
{
	const int x = blockIdx.x * blockDim.x + threadIdx.x;
	const int y = blockIdx.y * blockDim.y + threadIdx.y;
	int across = 0, down = 0;

	if (x >= WIDTH || y >= HEIGHT)
		return;
	if (x && y && x < WIDTH - 1 && y < HEIGHT - 1) {
		const uint8_t *at = from + y * from_pitch + 4 * x;

		across = grey(at + 4) - grey(at - 4);
		down = grey(at + from_pitch) - grey(at - from_pitch);
	}
	to[y * to_pitch + x] = min(abs(across) + abs(down), 255);
}

/* An image that a kernel draws, and the CPU reads */
struct drawing {
	struct memory memory;
	struct mem_image *image;
};

static void drawing_create(struct drawing *drawing, struct mem_ctx *ctx)
{
	struct mem_image_data data = {};

	memory_alloc(&drawing->memory, ctx, "drawing",
		     MEM_FOURCC('R', '8', ' ', ' '));
	data.size = sizeof(data);
	data.as = MEM_LOCK_OBJECT;
	data.format = MEM_FORMAT_U8;
	data.object = drawing->memory.object;
	MEM(mem_image_wrap(ctx, &data, 1 << MEM_ENGINE_GPU | MEM_USE_CPU,
			   &drawing->image));
}

static void drawing_destroy(struct drawing *drawing)
{
	mem_image_destroy(drawing->image);
	mem_object_put(drawing->memory.object);
}

/* No call of this stage waits for a kernel. */
OWN_FRAME static void draw_edges(struct mem_pipe_end *from,
				 const struct mem_frame *picture,
				 struct mem_pipe_end *to,
				 struct drawing *drawing, cudaStream_t cuda,
				 struct mem_stream *stream)
{
	const dim3 block(16, 16);
	const dim3 grid((WIDTH + 15) / 16, (HEIGHT + 15) / 16);
	struct mem_frame frame = frame_new();

	/* Wrong: the camera may overwrite what the kernel has not read yet. */
	if (is_released)
		MEM(mem_pipe_release(from, picture, stream));
	find_edges<<<grid, block, 0, cuda>>>(		/* found here */
		(const uint8_t *)picture->planes[0].base,
		picture->planes[0].pitch, (uint8_t *)drawing->memory.ptr,
		drawing->memory.pitch);
	CHECK_LAUNCH();
	if (!is_released)
		MEM(mem_pipe_release(from, picture, stream));
	frame.image = drawing->image;
	frame.user = drawing;
	MEM(mem_pipe_present(to, &frame, stream, WAIT_NS));
}

static void *compute(void *unused)
{
	struct mem_frame picture = frame_new(), back = frame_new();
	struct drawing drawings[NR_BUFFERS], *drawing;
	struct mem_pipe_end *from, *to;
	struct mem_stream *stream;
	struct mem_ctx *ctx;
	cudaStream_t cuda;
	int nr_out = 0, i, err;

	use_integrated_gpu();
	CHECK(cudaStreamCreateWithFlags(&cuda, cudaStreamNonBlocking));
	CHECK((cudaError_t)heapsim_cuda_ctx(&ctx));
	CHECK((cudaError_t)heapsim_cuda_stream(cuda, &stream));
	for (i = 0; i < NR_BUFFERS; i++)
		drawing_create(&drawings[i], ctx);
	from = link_offer(&captured, ctx);
	to = link_take(&drawn, ctx);
	for (;;) {
		err = mem_pipe_acquire(from, stream, WAIT_NS, &picture);
		if (err == -EPIPE)
			break;
		MEM(err);
		if (nr_out < NR_BUFFERS) {
			drawing = &drawings[nr_out++];
		} else {
			MEM(mem_pipe_return(to, stream, WAIT_NS, &back));
			drawing = (struct drawing *)back.user;
		}
		draw_edges(from, &picture, to, drawing, cuda, stream);
	}
	for (; nr_out; nr_out--)
		MEM(mem_pipe_return(to, stream, WAIT_NS, &back));
	mem_pipe_end_destroy(to);
	mem_pipe_end_destroy(from);
	for (i = 0; i < NR_BUFFERS; i++)
		drawing_destroy(&drawings[i]);
	CHECK(cudaStreamDestroy(cuda));
	return unused;
}

/* The writer */

static void write_png(const struct mem_image_data *data, int number)
{
	png_image png = {};
	char path[4096];

	snprintf(path, sizeof(path), "%s/frame-%02d.png", directory, number);
	png.version = PNG_IMAGE_VERSION;
	png.width = data->planes[0].width;
	png.height = data->planes[0].height;
	png.format = PNG_FORMAT_GRAY;
	if (!png_image_write_to_file(&png, path, 0, data->planes[0].base,
				     (png_int_32)data->planes[0].pitch, NULL)) {
		fprintf(stderr, "%s: %s\n", path, png.message);
		exit(2);
	}
}

static uint64_t sum_of(const struct mem_plane *plane)
{
	const uint8_t *pixels = (const uint8_t *)plane->base;
	uint64_t sum = 0;
	uint32_t x, y;

	for (y = 0; y < plane->height; y++)
		for (x = 0; x < plane->width; x++)
			sum += pixels[y * plane->pitch + x];
	return sum;
}

static void *write_all(void *unused)
{
	struct mem_frame frame = frame_new();
	struct mem_image_data data = {};
	struct mem_stream *stream;
	struct mem_pipe_end *from;
	struct mem_ctx *ctx;
	int err;

	MEM(mem_ctx_open(NULL, &ctx));
	MEM(mem_stream_create(ctx, 0, 0, &stream));
	from = link_offer(&drawn, ctx);
	data.size = sizeof(data);
	for (;;) {
		err = mem_pipe_acquire(from, stream, WAIT_NS, &frame);
		if (err == -EPIPE)
			break;
		MEM(err);
		/* Waits for the kernel, and makes its bytes those of the CPU. */
		MEM(mem_image_lock(frame.image, MEM_READ, MEM_LOCK_HOST,
				   &data));
		printf("frame %2d: its edges sum up to %llu\n", (int)frame.number,
		       (unsigned long long)sum_of(&data.planes[0]));
		if (directory)
			write_png(&data, (int)frame.number);
		MEM(mem_image_unlock(frame.image));
		MEM(mem_pipe_release(from, &frame, stream));
	}
	mem_pipe_end_destroy(from);
	mem_stream_destroy(stream);
	mem_ctx_close(ctx);
	return unused;
}

static int three_processes(void *(*const stages[3])(void *))
{
	pid_t pids[3];
	int i, status, ret = 0;

	for (i = 0; i < 3; i++) {
		pids[i] = fork();
		if (pids[i] < 0) {
			perror("fork");
			exit(2);
		}
		if (!pids[i]) {
			stages[i](NULL);
			exit(0);
		}
	}
	for (i = 0; i < 3; i++)
		if (waitpid(pids[i], &status, 0) != pids[i] || status)
			ret = 1;
	return ret;
}

static int three_threads(void *(*const stages[3])(void *))
{
	pthread_t threads[3];
	int i;

	for (i = 0; i < 3; i++)
		if (pthread_create(&threads[i], NULL, stages[i], NULL)) {
			fprintf(stderr, "no thread\n");
			exit(2);
		}
	for (i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	return 0;
}

int main(int argc, char **argv)
{
	void *(*const stages[3])(void *) = { capture, compute, write_all };
	int i;

	for (i = 1; i < argc; i++)
		if (!strcmp(argv[i], "three"))
			is_three = true;
		else if (!strcmp(argv[i], "released"))
			is_released = true;
		else if (!strncmp(argv[i], "/dev/", 5))
			device = argv[i];
		else
			directory = argv[i];
	parent = getpid();
	return is_three ? three_processes(stages) : three_threads(stages);
}
