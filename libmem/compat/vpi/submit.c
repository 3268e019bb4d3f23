// SPDX-License-Identifier: LGPL-2.1-or-later
/* Algorithms: jobs of libmem, on the engine of a backend. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "vpi.h"
#include "vpi/algo/BoxFilter.h"
#include "vpi/algo/ConvertImageFormat.h"
#include "vpi/algo/Copy.h"
#include "vpi/algo/HarrisCorners.h"
#include "vpi/algo/Rescale.h"

/* Sorted by preference, for calls that do not name a backend */
static const struct {
	uint64_t backend;
	unsigned int engine;
	const char *name;
} tries[] = {
	{ VPI_BACKEND_CUDA, MEM_ENGINE_GPU, "CUDA" },
	{ VPI_BACKEND_VIC, MEM_ENGINE_VIC, "VIC" },
	{ VPI_BACKEND_PVA, MEM_ENGINE_PVA, "PVA" },
	{ VPI_BACKEND_CPU, MEM_ENGINE_CPU, "CPU" },
};

#define NR_TRIES	(sizeof(tries) / sizeof(*tries))

/**
 * struct job - work to be submitted
 * @run: submits it to an engine
 * @stream: stream
 * @input: image that is read, or NULL
 * @output: image that is written, or NULL
 * @arrays: arrays, or NULL
 * @names: names of the arrays in messages
 * @payload: payload, or NULL
 * @how: parameters, for @run
 * @misfit: error message if the images do not suit each other
 */
struct job {
	int (*run)(const struct job *job, unsigned int engine);
	VPIStream stream;
	VPIImage input;
	VPIImage output;
	VPIArray arrays[2];
	const char *names[2];
	VPIPayload payload;
	const void *how;
	const char *misfit;
};

/* Returns the backends that are enabled in all objects of the job. */
static uint64_t submit_backends(const struct job *job)
{
	uint64_t flags = job->stream->object.flags;
	unsigned int i;

	if (job->input)
		flags &= job->input->object.flags;
	if (job->output)
		flags &= job->output->object.flags;
	for (i = 0; i < 2; i++)
		if (job->arrays[i])
			flags &= job->arrays[i]->object.flags;
	if (job->payload)
		flags &= job->payload->object.flags;
	return flags & VPI_BACKEND_MASK;
}

static VPIStatus submit_disabled(const struct job *job, uint64_t backend)
{
	const struct {
		const void *handle;
		const char *name;
	} all[] = {
		{ job->stream, "the stream" },
		{ job->input, "the input" },
		{ job->output, "the output" },
		{ job->arrays[0], job->names[0] },
		{ job->arrays[1], job->names[1] },
		{ job->payload, "the payload" },
	};
	const struct vpi_object *object;
	char text[48];
	size_t i;

	vpi_backends_name(backend, text, sizeof(text));
	for (i = 0; i < sizeof(all) / sizeof(*all); i++) {
		object = all[i].handle;
		if (object && !(object->flags & backend))
			return vpi_fail(VPI_ERROR_INVALID_OPERATION,
					"%s was made without the backend %s",
					all[i].name, text);
	}
	return vpi_fail(VPI_ERROR_INVALID_OPERATION,
			"stream, images, arrays and payload have no backend in common");
}

/* Checks that input and output have the same width and height. */
static VPIStatus submit_check_sides(const struct job *job)
{
	if (job->input->width != job->output->width ||
	    job->input->height != job->output->height)
		return vpi_fail(VPI_ERROR_INVALID_ARGUMENT,
				"input is %dx%d, output %dx%d",
				job->input->width, job->input->height,
				job->output->width, job->output->height);
	return VPI_SUCCESS;
}

static VPIStatus submit_check_formats(const struct job *job)
{
	if (job->input->format != job->output->format)
		return vpi_fail(VPI_ERROR_INVALID_IMAGE_FORMAT,
				"input and output have two formats");
	return VPI_SUCCESS;
}

static VPIStatus submit_check(const struct job *job)
{
	VPIStatus status;

	status = vpi_stream_check(job->stream);
	if (!status)
		status = vpi_object_check(job->input, VPI_KIND_IMAGE, "input");
	return status;
}

static VPIStatus submit_check_output(const struct job *job)
{
	VPIStatus status = submit_check(job);

	if (!status)
		status = vpi_object_check(job->output, VPI_KIND_IMAGE,
					  "output");
	if (!status && job->input == job->output)
		status = vpi_fail(VPI_ERROR_INVALID_ARGUMENT,
				  "input and output are one image");
	return status;
}

static VPIStatus submit_failed(const struct job *job, uint64_t backends,
			       bool is_named, int rc)
{
	char text[48];

	/* The CPU and the GPU support all that heapsim does. */
	if (rc == -EOPNOTSUPP && !is_named &&
	    backends & (VPI_BACKEND_CPU | VPI_BACKEND_CUDA))
		rc = -EINVAL;
	vpi_backends_name(backends, text, sizeof(text));
	switch (rc) {
	case -EBUSY:
		return vpi_fail(VPI_ERROR_BUFFER_LOCKED,
				"an image or array is locked: unlock it before work uses it");
	case -EACCES:
		return vpi_fail(VPI_ERROR_INVALID_OPERATION,
				"an image or array of the output may only be read");
	case -EINVAL:
		return vpi_fail(VPI_ERROR_INVALID_IMAGE_FORMAT,
				"%s: Documentation/images.rst", job->misfit);
	case -EOPNOTSUPP:
		return vpi_fail(VPI_ERROR_NOT_IMPLEMENTED,
				"backend %s does not do this with such images or parameters: Documentation/images.rst",
				text);
	default:
		return vpi_errno(rc, "the stream");
	}
}

/* All arguments except @backend have been checked. */
static VPIStatus submit_job(const struct job *job, uint64_t backend)
{
	uint64_t common = submit_backends(job);
	uint64_t asked = backend & VPI_BACKEND_MASK;
	uint64_t last = 0;
	int rc = -EOPNOTSUPP;
	size_t i;

	if (asked & (asked - 1) || backend != asked)
		return vpi_fail(VPI_ERROR_INVALID_ARGUMENT,
				"backend 0x%llx is not one backend",
				(unsigned long long)backend);
	if (asked && !(asked & common))
		return submit_disabled(job, asked);
	for (i = 0; i < NR_TRIES && rc == -EOPNOTSUPP; i++) {
		if (!(tries[i].backend & (asked ? asked : common)))
			continue;
		last = tries[i].backend;
		rc = job->run(job, tries[i].engine);
	}
	if (!last)
		return submit_disabled(job, 0);
	if (!rc)
		return VPI_SUCCESS;
	return submit_failed(job, asked ? asked : common, asked, rc);
}

/* VPI_PRECISE has no effect, since all work is precise. */
static VPIStatus submit_check_precision(uint64_t flags)
{
	if (flags & ~(uint64_t)VPI_PRECISE)
		return vpi_fail(VPI_ERROR_INVALID_ARGUMENT,
				"flags 0x%llx have no meaning here",
				(unsigned long long)flags);
	return VPI_SUCCESS;
}

static VPIStatus submit_check_border(VPIBorderExtension border,
				     unsigned int *mem)
{
	switch (border) {
	case VPI_BORDER_ZERO:
		*mem = MEM_BORDER_ZERO;
		return VPI_SUCCESS;
	case VPI_BORDER_CLAMP:
		*mem = MEM_BORDER_CLAMP;
		return VPI_SUCCESS;
	case VPI_BORDER_REFLECT:
		return vpi_lacks(VPI_ERROR_NOT_IMPLEMENTED,
				 "VPI_BORDER_REFLECT");
	case VPI_BORDER_MIRROR:
		return vpi_lacks(VPI_ERROR_NOT_IMPLEMENTED,
				 "VPI_BORDER_MIRROR");
	case VPI_BORDER_LIMITED:
		return vpi_lacks(VPI_ERROR_NOT_IMPLEMENTED,
				 "VPI_BORDER_LIMITED");
	default:
		return vpi_fail(VPI_ERROR_INVALID_ARGUMENT,
				"there is no border %d", (int)border);
	}
}

static VPIStatus submit_check_interp(VPIInterpolationType type,
				     unsigned int *mem)
{
	switch (type) {
	case VPI_INTERP_NEAREST:
		*mem = MEM_INTERP_NEAREST;
		return VPI_SUCCESS;
	case VPI_INTERP_LINEAR:
		*mem = MEM_INTERP_LINEAR;
		return VPI_SUCCESS;
	case VPI_INTERP_CATMULL_ROM:
		return vpi_lacks(VPI_ERROR_NOT_IMPLEMENTED,
				 "VPI_INTERP_CATMULL_ROM");
	default:
		return vpi_fail(VPI_ERROR_INVALID_ARGUMENT,
				"there is no interpolation %d", (int)type);
	}
}

VPI_PUBLIC VPIStatus
vpiInitConvertImageFormatParams(VPIConvertImageFormatParams *params)
{
	VPI_ENTER();
	if (!params)
		return vpi_null("params");
	*params = (VPIConvertImageFormatParams) {
		.policy = VPI_CONVERSION_CLAMP,
		.scale = 1,
		.chromaUpFilter = VPI_INTERP_LINEAR,
		.chromaDownFilter = VPI_INTERP_NEAREST,
	};
	return VPI_SUCCESS;
}

static int submit_run_convert(const struct job *job, unsigned int engine)
{
	return mem_image_convert(job->stream->mem, engine, job->output->mem,
				 job->input->mem, job->how);
}

VPI_PUBLIC VPIStatus
vpiSubmitConvertImageFormat(VPIStream stream, uint64_t backend, VPIImage input,
			    VPIImage output,
			    const VPIConvertImageFormatParams *params)
{
	struct mem_convert how = { .size = sizeof(how), .is_saturating = 1 };
	const struct job job = {
		.run = submit_run_convert, .stream = stream, .input = input,
		.output = output, .how = &how,
		.misfit = "heapsim does not convert between these formats",
	};
	VPIStatus status;

	VPI_ENTER();
	status = submit_check_output(&job);
	if (!status)
		status = submit_check_sides(&job);
	if (!status && params)
		status = submit_check_precision(params->flags);
	if (status)
		return status;
	if (params) {
		if (params->policy != VPI_CONVERSION_CLAMP &&
		    params->policy != VPI_CONVERSION_CAST)
			return vpi_fail(VPI_ERROR_INVALID_ARGUMENT,
					"there is no policy %d",
					(int)params->policy);
		if (!isfinite(params->scale) || !isfinite(params->offset) ||
		    !params->scale)
			return vpi_fail(VPI_ERROR_INVALID_ARGUMENT,
					"scale is 0, or scale or offset is no number");
		how.is_saturating = params->policy == VPI_CONVERSION_CLAMP;
		how.scale = params->scale;
		how.offset = params->offset;
	}
	return submit_job(&job, backend);
}

/* The output is another image of the format and the sides of the input. */
static VPIStatus submit_check_alike(const struct job *job)
{
	VPIStatus status = submit_check_output(job);

	if (!status)
		status = submit_check_formats(job);
	return status ? status : submit_check_sides(job);
}

static int submit_run_copy(const struct job *job, unsigned int engine)
{
	return mem_image_copy(job->stream->mem, engine, job->output->mem,
			      job->input->mem);
}

VPI_PUBLIC VPIStatus vpiSubmitCopyImage(VPIStream stream, uint64_t backend,
					VPIImage input, VPIImage output)
{
	const struct job job = {
		.run = submit_run_copy, .stream = stream, .input = input,
		.output = output,
		.misfit = "heapsim does not copy this format",
	};
	VPIStatus status;

	VPI_ENTER();
	status = submit_check_alike(&job);
	return status ? status : submit_job(&job, backend);
}

static int submit_run_copy_array(const struct job *job, unsigned int engine)
{
	return mem_array_copy(job->stream->mem, engine, job->arrays[1]->mem,
			      job->arrays[0]->mem);
}

static VPIStatus submit_check_arrays(VPIArray input, VPIArray output)
{
	VPIStatus status;

	status = vpi_object_check(input, VPI_KIND_ARRAY, "input");
	if (!status)
		status = vpi_object_check(output, VPI_KIND_ARRAY, "output");
	if (status)
		return status;
	if (input == output)
		return vpi_fail(VPI_ERROR_INVALID_ARGUMENT,
				"input and output are one array");
	if (input->type != output->type)
		return vpi_fail(VPI_ERROR_INVALID_ARRAY_TYPE,
				"input is %s, output %s",
				vpiArrayTypeGetName(input->type),
				vpiArrayTypeGetName(output->type));
	if (input->capacity > output->capacity)
		return vpi_fail(VPI_ERROR_INVALID_ARGUMENT,
				"input has room for %d, output for %d",
				input->capacity, output->capacity);
	return VPI_SUCCESS;
}

VPI_PUBLIC VPIStatus vpiSubmitCopyArray(VPIStream stream, uint64_t backend,
					VPIArray input, VPIArray output)
{
	const struct job job = {
		.run = submit_run_copy_array, .stream = stream,
		.arrays = { input, output },
		.names = { "the input", "the output" },
		.misfit = "heapsim does not copy this type",
	};
	VPIStatus status;

	VPI_ENTER();
	status = vpi_stream_check(stream);
	if (!status)
		status = submit_check_arrays(input, output);
	if (!status)
		status = vpi_array_load(input);
	if (!status)
		status = vpi_array_load(output);
	if (!status)
		status = submit_job(&job, backend);
	if (!status)
		status = vpi_array_store(output, stream->mem);
	return status;
}

/**
 * struct rescale - parameters of rescaling
 * @interp: enum mem_interp
 * @border: enum mem_border
 */
struct rescale {
	unsigned int interp;
	unsigned int border;
};

static int submit_run_rescale(const struct job *job, unsigned int engine)
{
	const struct rescale *how = job->how;

	/* Other interpolations are not offered for the compositor by VPI. */
	if (engine == MEM_ENGINE_VIC && how->interp != MEM_INTERP_LINEAR)
		return -EOPNOTSUPP;
	return mem_image_rescale(job->stream->mem, engine, job->output->mem,
				 job->input->mem, how->interp, how->border);
}

static VPIStatus submit_check_vic(const struct rescale *how)
{
	if (how->interp != MEM_INTERP_LINEAR)
		return vpi_fail(VPI_ERROR_INVALID_ARGUMENT,
				"backend VIC interpolates by VPI_INTERP_LINEAR alone");
	if (how->border != MEM_BORDER_CLAMP)
		return vpi_fail(VPI_ERROR_INVALID_ARGUMENT,
				"backend VIC has border VPI_BORDER_CLAMP alone");
	return VPI_SUCCESS;
}

VPI_PUBLIC VPIStatus vpiSubmitRescale(VPIStream stream, uint64_t backend,
				      VPIImage input, VPIImage output,
				      VPIInterpolationType interpolationType,
				      VPIBorderExtension border,
				      uint64_t flags)
{
	struct rescale how;
	const struct job job = {
		.run = submit_run_rescale, .stream = stream, .input = input,
		.output = output, .how = &how,
		.misfit = "heapsim does not scale this format",
	};
	VPIStatus status;

	VPI_ENTER();
	status = submit_check_output(&job);
	if (!status)
		status = submit_check_formats(&job);
	if (!status)
		status = submit_check_precision(flags);
	if (!status)
		status = submit_check_interp(interpolationType, &how.interp);
	if (!status)
		status = submit_check_border(border, &how.border);
	if (!status && backend == VPI_BACKEND_VIC)
		status = submit_check_vic(&how);
	return status ? status : submit_job(&job, backend);
}

/**
 * struct box - parameters of a box filter
 * @width: pixels
 * @height: rows
 * @border: enum mem_border
 */
struct box {
	uint32_t width;
	uint32_t height;
	unsigned int border;
};

static int submit_run_box(const struct job *job, unsigned int engine)
{
	const struct box *how = job->how;

	return mem_image_box(job->stream->mem, engine, job->output->mem,
			     job->input->mem, how->width, how->height,
			     how->border);
}

static bool submit_is_side(int32_t len)
{
	return len >= 1 && len <= 11 && len % 2;
}

VPI_PUBLIC VPIStatus vpiSubmitBoxFilter(VPIStream stream, uint64_t backend,
					VPIImage input, VPIImage output,
					int32_t kernelWidth,
					int32_t kernelHeight,
					VPIBorderExtension border)
{
	struct box how = { .width = kernelWidth, .height = kernelHeight };
	const struct job job = {
		.run = submit_run_box, .stream = stream, .input = input,
		.output = output, .how = &how,
		.misfit = "heapsim does not filter this format",
	};
	VPIStatus status;

	VPI_ENTER();
	status = submit_check_alike(&job);
	if (!status &&
	    (!submit_is_side(kernelWidth) || !submit_is_side(kernelHeight)))
		status = vpi_fail(VPI_ERROR_INVALID_ARGUMENT,
				  "a window of %dx%d: sides are odd, 1 to 11",
				  kernelWidth, kernelHeight);
	if (!status)
		status = submit_check_border(border, &how.border);
	return status ? status : submit_job(&job, backend);
}

VPI_PUBLIC VPIStatus
vpiInitHarrisCornerDetectorParams(VPIHarrisCornerDetectorParams *params)
{
	VPI_ENTER();
	if (!params)
		return vpi_null("params");
	*params = (VPIHarrisCornerDetectorParams) {
		.gradientSize = 3,
		.blockSize = 3,
		.strengthThresh = 20,
		.sensitivity = 0.0625f,
		.minNMSDistance = 8,
	};
	return VPI_SUCCESS;
}

VPI_PUBLIC VPIStatus vpiCreateHarrisCornerDetector(uint64_t backends,
						   int32_t inputWidth,
						   int32_t inputHeight,
						   VPIPayload *payload)
{
	const uint64_t able = VPI_BACKEND_CPU | VPI_BACKEND_CUDA |
			      VPI_BACKEND_PVA;
	uint64_t asked = backends & VPI_BACKEND_MASK;
	struct VPIContextImpl *ctx;
	struct VPIPayloadImpl *new;
	VPIStatus status;

	VPI_ENTER();
	if (!payload)
		return vpi_null("payload");
	if (inputWidth < 1 || inputHeight < 1)
		return vpi_fail(VPI_ERROR_INVALID_ARGUMENT,
				"images of %dx%d have no pixels", inputWidth,
				inputHeight);
	if (asked && (!(asked & able) ||
		      (backends & VPI_REQUIRE_BACKENDS && asked & ~able)))
		return vpi_fail(VPI_ERROR_NOT_IMPLEMENTED,
				"backends CPU, CUDA and PVA alone find corners");
	status = vpi_current(&ctx);
	if (!status)
		status = vpi_flags(ctx, &backends, VPI_OBJECT_FLAGS, 0);
	if (status)
		return status;
	backends &= ~(VPI_BACKEND_MASK & ~able);
	if (!(backends & VPI_BACKEND_MASK))
		return vpi_fail(VPI_ERROR_INVALID_OPERATION,
				"the current context has enabled none of CPU, CUDA and PVA");
	new = calloc(1, sizeof(*new));
	if (!new)
		return vpi_rc(-ENOMEM, "the payload");
	new->width = inputWidth;
	new->height = inputHeight;
	status = vpi_object_add(new, VPI_KIND_PAYLOAD, backends, ctx);
	if (status)
		free(new);
	else
		*payload = new;
	return status;
}

VPI_PUBLIC void vpiPayloadDestroy(VPIPayload payload)
{
	if (vpi_object_del(payload, VPI_KIND_PAYLOAD))
		free(payload);
}

VPI_PUBLIC VPIStatus vpiPayloadGetFlags(VPIPayload payload, uint64_t *flags)
{
	VPI_ENTER();
	return vpi_object_flags(payload, VPI_KIND_PAYLOAD, flags);
}

static int submit_run_harris(const struct job *job, unsigned int engine)
{
	return mem_image_harris(job->stream->mem, engine, job->input->mem,
				job->arrays[0]->mem, job->arrays[1]->mem,
				job->how);
}

static bool submit_is_window(int32_t len)
{
	return len == 3 || len == 5 || len == 7;
}

static VPIStatus submit_harris_how(const VPIHarrisCornerDetectorParams *params,
				   struct mem_harris *how)
{
	if (!submit_is_window(params->gradientSize) ||
	    !submit_is_window(params->blockSize))
		return vpi_fail(VPI_ERROR_INVALID_ARGUMENT,
				"gradientSize %d, blockSize %d: each is 3, 5 or 7",
				params->gradientSize,
				params->blockSize);
	if (!isfinite(params->strengthThresh) ||
	    !isfinite(params->sensitivity) || params->sensitivity < 0 ||
	    !isfinite(params->minNMSDistance) || params->minNMSDistance < 0)
		return vpi_fail(VPI_ERROR_INVALID_ARGUMENT,
				"strengthThresh, sensitivity or minNMSDistance is out of range");
	*how = (struct mem_harris) {
		.size = sizeof(*how),
		.gradient_len = params->gradientSize,
		.block_len = params->blockSize,
		.strength = params->strengthThresh,
		.sensitivity = params->sensitivity,
		.min_distance = params->minNMSDistance,
	};
	return VPI_SUCCESS;
}

static VPIStatus submit_check_harris(const struct job *job)
{
	const VPIPayload payload = job->payload;
	const VPIArray features = job->arrays[0];
	const VPIArray scores = job->arrays[1];

	if (job->input->width != payload->width ||
	    job->input->height != payload->height)
		return vpi_fail(VPI_ERROR_INVALID_ARGUMENT,
				"input is %dx%d, the payload is for %dx%d",
				job->input->width, job->input->height,
				payload->width, payload->height);
	if (features->type != VPI_ARRAY_TYPE_KEYPOINT_F32 ||
	    (scores->type != VPI_ARRAY_TYPE_U32 &&
	     scores->type != VPI_ARRAY_TYPE_F32))
		return vpi_fail(VPI_ERROR_INVALID_ARRAY_TYPE,
				"outFeatures is to be KEYPOINT_F32, outScores U32");
	if (features->capacity != scores->capacity)
		return vpi_fail(VPI_ERROR_INVALID_ARGUMENT,
				"outFeatures has room for %d, outScores for %d",
				features->capacity, scores->capacity);
	return VPI_SUCCESS;
}

VPI_PUBLIC VPIStatus
vpiSubmitHarrisCornerDetector(VPIStream stream, uint64_t backend,
			      VPIPayload payload, VPIImage input,
			      VPIArray outFeatures, VPIArray outScores,
			      const VPIHarrisCornerDetectorParams *params)
{
	VPIHarrisCornerDetectorParams defaults;
	struct mem_harris how;
	const struct job job = {
		.run = submit_run_harris, .stream = stream, .input = input,
		.arrays = { outFeatures, outScores },
		.names = { "outFeatures", "outScores" },
		.payload = payload, .how = &how,
		.misfit = "corners are found in U8, Y8 and S16 alone",
	};
	VPIStatus status;

	vpiInitHarrisCornerDetectorParams(&defaults);
	VPI_ENTER();
	if (payload && !vpi_object_is(payload, VPI_KIND_PAYLOAD))
		return vpi_fail(VPI_ERROR_INVALID_PAYLOAD_TYPE,
				"payload is none, or was destroyed");
	status = vpi_object_check(payload, VPI_KIND_PAYLOAD, "payload");
	if (!status)
		status = submit_check(&job);
	if (!status)
		status = vpi_object_check(outFeatures, VPI_KIND_ARRAY,
					  "outFeatures");
	if (!status)
		status = vpi_object_check(outScores, VPI_KIND_ARRAY,
					  "outScores");
	if (!status)
		status = submit_check_harris(&job);
	if (!status)
		status = submit_harris_how(params ? params : &defaults, &how);
	if (!status)
		status = vpi_array_load(outFeatures);
	if (!status)
		status = vpi_array_load(outScores);
	if (!status)
		status = submit_job(&job, backend);
	if (!status)
		status = vpi_array_store(outFeatures, stream->mem);
	if (!status)
		status = vpi_array_store(outScores, stream->mem);
	return status;
}
