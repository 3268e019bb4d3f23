// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of reads through textures and writes through surfaces, on the board
 * that LIBMEM_SOC names. The reference has integer coordinates, in 512ths of an
 * element, so that it shares no arithmetic with the headers: where the
 * programming guide rounds, the reference shifts.
 */
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <cmath>
#include <csetjmp>
#include <csignal>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

extern "C" {
#include <cmocka.h>
}

#include <cuda_runtime.h>

#define PARTS		512	/* units of coordinates in an element */
#define NR_QUERIES	64
#define NR_CONFIGS	160

#define ok(call)	assert_int_equal(call, cudaSuccess)

static uint64_t seed = 1;

static unsigned int below(unsigned int n)
{
	seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return (seed >> 33) % n;
}

/* Texture functions that a query can call */
enum call {
	CALL_1D,
	CALL_2D,
	CALL_3D,
	CALL_1D_LAYERED,
	CALL_2D_LAYERED,
	CALL_1D_LOD,
	CALL_2D_LOD,
	CALL_3D_LOD,
	CALL_FETCH,
	CALL_GATHER,
	CALL_CUBEMAP,
	CALL_2D_GRAD,
};

struct query {
	float x;
	float y;
	float z;
	float level;
	int layer;
};

template <class T>
static __device__ T asked(cudaTextureObject_t object, int call, const query &q)
{
	T value;

	switch (call) {
	case CALL_1D:
		return tex1D<T>(object, q.x);
	case CALL_2D:
		return tex2D<T>(object, q.x, q.y);
	case CALL_3D:
		tex3D(&value, object, q.x, q.y, q.z);
		return value;
	case CALL_1D_LAYERED:
		return tex1DLayered<T>(object, q.x, q.layer);
	case CALL_2D_LAYERED:
		return tex2DLayered<T>(object, q.x, q.y, q.layer);
	case CALL_1D_LOD:
		return tex1DLod<T>(object, q.x, q.level);
	case CALL_2D_LOD:
		return tex2DLod<T>(object, q.x, q.y, q.level);
	case CALL_3D_LOD:
		return tex3DLod<T>(object, q.x, q.y, q.z, q.level);
	case CALL_FETCH:
		return tex1Dfetch<T>(object, q.layer);
	case CALL_GATHER:
		return tex2Dgather<T>(object, q.x, q.y, q.layer);
	case CALL_CUBEMAP:
		return texCubemap<T>(object, q.x, q.y, q.z);
	default:
		return tex2DGrad<T>(object, q.x, q.y,
				    make_float2(q.level, 0),
				    make_float2(0, q.z));
	}
}

template <class T>
__global__ void ask(cudaTextureObject_t object, int call, const query *queries,
		    unsigned int nr, T *answers)
{
	const unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < nr)
		answers[i] = asked<T>(object, call, queries[i]);
}

template <class T>
static std::vector<T> ask_all(cudaTextureObject_t object, call which,
			      const std::vector<query> &queries)
{
	const unsigned int nr = queries.size();
	std::vector<T> answers(nr);
	query *in;
	T *out;

	ok(cudaMalloc(&in, nr * sizeof(*in)));
	ok(cudaMalloc(&out, nr * sizeof(*out)));
	ok(cudaMemcpy(in, queries.data(), nr * sizeof(*in),
		      cudaMemcpyHostToDevice));
	ask<T><<<(nr + 31) / 32, 32>>>(object, which, in, nr, out);
	ok(cudaGetLastError());
	ok(cudaMemcpy(answers.data(), out, nr * sizeof(*out),
		      cudaMemcpyDeviceToHost));
	ok(cudaFree(in));
	ok(cudaFree(out));
	return answers;
}

/* The format of an array's elements */
struct format {
	cudaChannelFormatDesc desc;
	int nr;			/* number of channels */
	int len;		/* bytes of a channel */

	bool is_float() const
	{
		return desc.f == cudaChannelFormatKindFloat;
	}
};

static format format_of(cudaChannelFormatKind kind, int bits, int nr)
{
	format format;

	format.desc = cudaCreateChannelDesc(bits, nr > 1 ? bits : 0,
					    nr > 2 ? bits : 0,
					    nr > 2 ? bits : 0, kind);
	format.nr = nr;
	format.len = bits / 8;
	return format;
}

struct model {
	format is;
	int width;
	int height;
	int depth;
	std::vector<unsigned char> bytes;

	model(const format &its, int w, int h, int d) :
		is(its), width(w), height(h), depth(d),
		bytes(w * h * d * its.nr * its.len)
	{
		fill();
	}

	const unsigned char *at(int x, int y, int z, int channel) const
	{
		return &bytes[(((z * height + y) * width + x) * is.nr +
			       channel) * is.len];
	}

	/* Floats get few significant bits, and are neither NaN nor infinite. */
	void fill()
	{
		size_t i;

		for (i = 0; i < bytes.size(); i++)
			bytes[i] = below(256);
		for (i = 0; is.is_float() && i < bytes.size(); i += is.len) {
			float value = (int)below(2001) - 1000;
			uint16_t half = (below(2) << 15) |
				(below(30) << 10) | below(1024);

			if (is.len == 4)
				memcpy(&bytes[i], &value, 4);
			else
				memcpy(&bytes[i], &half, 2);
		}
	}

	int64_t integer(int x, int y, int z, int channel) const
	{
		const unsigned char *from = at(x, y, z, channel);
		uint64_t value = 0;
		int i;

		for (i = is.len; i--; )
			value = value << 8 | from[i];
		if (is.desc.f == cudaChannelFormatKindSigned &&
		    value >> (8 * is.len - 1))
			value -= 1ULL << (8 * is.len);
		return (int64_t)value;
	}

	double real(int x, int y, int z, int channel) const
	{
		const int64_t bits = integer(x, y, z, channel);
		double value;
		float single;

		if (is.is_float() && is.len == 4) {
			memcpy(&single, at(x, y, z, channel), 4);
			return single;
		}
		if (is.is_float()) {
			value = bits >> 10 & 31 ?
				ldexp(1024 + (bits & 1023),
				      (int)(bits >> 10 & 31) - 25) :
				ldexp(bits & 1023, -24);
			return bits & 0x8000 ? -value : value;
		}
		if (is.desc.f == cudaChannelFormatKindUnsigned)
			return bits / (ldexp(1, 8 * is.len) - 1);
		value = bits / (ldexp(1, 8 * is.len - 1) - 1);
		return value < -1 ? -1 : value;
	}
};

static int floor_div(int a, int b)
{
	return a >= 0 ? a / b : -((b - 1 - a) / b);
}

static int floor_mod(int a, int b)
{
	return a - floor_div(a, b) * b;
}

/* Two elements and the second's weight in 256ths; -1 is the border. */
struct both {
	int i[2];
	int weight;
};

static int inside(int i, int n, cudaTextureAddressMode mode)
{
	if (i >= 0 && i < n)
		return i;
	if (mode == cudaAddressModeBorder)
		return -1;
	if (mode == cudaAddressModeWrap)
		return floor_mod(i, n);
	return i < 0 ? 0 : n - 1;
}

/* @u is the coordinate in 512ths of an element, @n the number of elements. */
static both elements(int u, int n, cudaTextureAddressMode mode, bool is_linear)
{
	const int whole = n * PARTS;
	both at = { { 0, 0 }, 0 };
	int i;

	if (mode == cudaAddressModeWrap)
		u = floor_mod(u, whole);
	if (mode == cudaAddressModeMirror)
		u = floor_mod(floor_div(u, whole), 2) ?
			whole - floor_mod(u, whole) : floor_mod(u, whole);
	if (is_linear)
		u -= PARTS / 2;
	i = floor_div(u, PARTS);
	at.i[0] = inside(i, n, mode);
	if (is_linear) {
		at.i[1] = inside(i + 1, n, mode);
		at.weight = (floor_mod(u, PARTS) + 1) >> 1;
	}
	return at;
}

/* How a texture is read */
struct reading {
	cudaTextureDesc how;
	int nr_dims;
	bool is_layered;

	cudaTextureAddressMode mode(int d) const
	{
		/* Only normalised coordinates wrap or mirror. */
		if (!how.normalizedCoords &&
		    how.addressMode[d] != cudaAddressModeBorder)
			return cudaAddressModeClamp;
		return how.addressMode[d];
	}
};

struct point {
	int u[3];
	int layer;
};

static double missing(int channel)
{
	return channel == 3;
}

static double corner_of(const model &model, const reading &reading,
			const int *i, int layer, int channel)
{
	int at[3] = { 0, 0, layer };
	int d;

	for (d = 0; d < reading.nr_dims; d++) {
		if (i[d] < 0)
			return reading.how.borderColor[channel];
		at[d] = i[d];
	}
	if (channel >= model.is.nr)
		return missing(channel);
	return model.real(at[0], at[1], at[2], channel);
}

static int layer_of(const model &model, const reading &reading, int layer)
{
	if (!reading.is_layered || layer < 0)
		return 0;
	return layer < model.depth ? layer : model.depth - 1;
}

static double expected(const model &model, const reading &reading,
		       const point &point, int channel)
{
	const int extent[3] = { model.width, model.height, model.depth };
	const bool is_linear = reading.how.filterMode == cudaFilterModeLinear;
	const int layer = layer_of(model, reading, point.layer);
	both at[3];
	double sum = 0;
	int corner, d;

	for (d = 0; d < reading.nr_dims; d++)
		at[d] = elements(point.u[d], extent[d], reading.mode(d),
				 is_linear);
	for (corner = 0; corner < 1 << reading.nr_dims; corner++) {
		double weight = 1;
		int i[3] = { 0, 0, 0 };

		for (d = 0; d < reading.nr_dims; d++) {
			const int second = corner >> d & 1;

			i[d] = at[d].i[second];
			weight *= (second ? at[d].weight :
					    256 - at[d].weight) / 256.0;
		}
		if (weight)
			sum += weight * corner_of(model, reading, i, layer,
						  channel);
	}
	return sum;
}

static void assert_near(double is, double should, double scale)
{
	if (!(fabs(is - should) <= 1e-5 * (scale + fabs(should))))
		fail_msg("%.9g, not %.9g", is, should);
}

static cudaArray_t array_of(const model &model, int nr_dims, unsigned int flags)
{
	cudaMemcpy3DParms copy = {};
	cudaExtent extent = { (size_t)model.width,
		nr_dims > 1 ? (size_t)model.height : 0,
		flags & cudaArrayLayered || nr_dims > 2 ?
		(size_t)model.depth : 0 };
	cudaArray_t array;

	ok(cudaMalloc3DArray(&array, &model.is.desc, extent, flags));
	copy.srcPtr.ptr = (void *)model.bytes.data();
	copy.srcPtr.pitch = model.width * model.is.nr * model.is.len;
	copy.srcPtr.xsize = model.width;
	copy.srcPtr.ysize = model.height;
	copy.dstArray = array;
	copy.extent.width = model.width;
	copy.extent.height = model.height;
	copy.extent.depth = model.depth;
	copy.kind = cudaMemcpyHostToDevice;
	ok(cudaMemcpy3D(&copy));
	return array;
}

static cudaResourceDesc resource_of(cudaArray_t array)
{
	cudaResourceDesc what;

	memset(&what, 0, sizeof(what));
	what.resType = cudaResourceTypeArray;
	what.res.array.array = array;
	return what;
}

static cudaTextureObject_t texture_of(const cudaResourceDesc &what,
				      const cudaTextureDesc &how)
{
	cudaTextureObject_t object;

	ok(cudaCreateTextureObject(&object, &what, &how, NULL));
	return object;
}

static point some_point(const model &model)
{
	const int extent[3] = { model.width, model.height, model.depth };
	point point;
	int d;

	/* Choose points inside, at edges, and far outside on both sides. */
	for (d = 0; d < 3; d++)
		point.u[d] = (int)below(7 * extent[d] * PARTS) -
			3 * extent[d] * PARTS;
	if (!below(4))
		for (d = 0; d < 3; d++)
			point.u[d] -= floor_mod(point.u[d], PARTS / 2);
	point.layer = (int)below(model.depth + 2) - 1;
	return point;
}

static float said(int u, int n, bool is_normalized)
{
	return is_normalized ? (float)(u / (double)(n * PARTS)) :
			       (float)(u / (double)PARTS);
}

static query query_of(const point &point, const model &model,
		      const reading &reading)
{
	const bool is_normalized = reading.how.normalizedCoords;
	query query = {};

	query.x = said(point.u[0], model.width, is_normalized);
	query.y = said(point.u[1], model.height, is_normalized);
	query.z = said(point.u[2], model.depth, is_normalized);
	query.layer = point.layer;
	return query;
}

static call call_of(const reading &reading)
{
	if (reading.is_layered)
		return reading.nr_dims == 1 ? CALL_1D_LAYERED :
					      CALL_2D_LAYERED;
	return reading.nr_dims == 1 ? CALL_1D :
	       reading.nr_dims == 2 ? CALL_2D : CALL_3D;
}

static void check_floats(cudaTextureObject_t object, const model &model,
			 const reading &reading)
{
	const double scale = model.is.is_float() ? 1e5 : 1;
	std::vector<query> queries;
	std::vector<point> points;
	unsigned int i;
	int c;

	for (i = 0; i < NR_QUERIES; i++) {
		points.push_back(some_point(model));
		queries.push_back(query_of(points[i], model, reading));
	}
	const std::vector<float4> answers =
		ask_all<float4>(object, call_of(reading), queries);
	for (i = 0; i < NR_QUERIES; i++)
		for (c = 0; c < 4; c++)
			assert_near((&answers[i].x)[c],
				    expected(model, reading, points[i], c),
				    scale);
}

/* Extents that are powers of two make coordinates exact, normalised or not. */
static model some_model(const format &format, const reading &reading)
{
	const bool is_box = reading.nr_dims == 3 || reading.is_layered;

	if (reading.how.normalizedCoords)
		return model(format, 1 << below(5),
			     reading.nr_dims > 1 ? 1 << below(4) : 1,
			     is_box ? 1 << below(3) : 1);
	return model(format, 1 + below(20),
		     reading.nr_dims > 1 ? 1 + below(12) : 1,
		     is_box ? 1 + below(6) : 1);
}

static reading some_reading()
{
	reading reading;
	int i;

	memset(&reading, 0, sizeof(reading));
	reading.is_layered = !below(3);
	reading.nr_dims = 1 + below(reading.is_layered ? 2 : 3);
	for (i = 0; i < 3; i++)
		reading.how.addressMode[i] = (cudaTextureAddressMode)below(4);
	for (i = 0; i < 4; i++)
		reading.how.borderColor[i] = 0.25f * below(5);
	reading.how.normalizedCoords = below(2);
	reading.how.filterMode = (cudaTextureFilterMode)below(2);
	return reading;
}

static format some_format(bool is_float)
{
	static const cudaChannelFormatKind kinds[] = {
		cudaChannelFormatKindSigned, cudaChannelFormatKindUnsigned,
	};
	const int nr = 1 << below(3);

	if (is_float)
		return format_of(cudaChannelFormatKindFloat, 16 << below(2),
				 nr);
	return format_of(kinds[below(2)], 8 << below(2), nr);
}

static void every_mode_reads_what_the_guide_says(void **state)
{
	cudaTextureObject_t object;
	cudaArray_t array;
	unsigned int i;

	(void)state;
	for (i = 0; i < NR_CONFIGS; i++) {
		reading reading = some_reading();
		const format format = some_format(i % 2);
		const model model = some_model(format, reading);

		if (!format.is_float())
			reading.how.readMode = cudaReadModeNormalizedFloat;
		array = array_of(model, reading.nr_dims,
				 reading.is_layered ? cudaArrayLayered : 0);
		object = texture_of(resource_of(array), reading.how);
		check_floats(object, model, reading);
		ok(cudaDestroyTextureObject(object));
		ok(cudaFreeArray(array));
	}
}

static uint32_t expected_bits(const model &model, const reading &reading,
			      const point &point, int channel)
{
	const int extent[3] = { model.width, model.height, model.depth };
	int at[3] = { 0, 0, layer_of(model, reading, point.layer) };
	uint32_t border;
	int d;

	memcpy(&border, &reading.how.borderColor[channel], sizeof(border));
	for (d = 0; d < reading.nr_dims; d++) {
		at[d] = elements(point.u[d], extent[d], reading.mode(d),
				 false).i[0];
		if (at[d] < 0)
			return border;
	}
	if (channel >= model.is.nr)
		return channel == 3;
	return (uint32_t)model.integer(at[0], at[1], at[2], channel);
}

static void integers_stay_what_they_are(void **state)
{
	static const int bits[] = { 8, 16, 32 };
	unsigned int i, j;
	int c;

	(void)state;
	for (i = 0; i < NR_CONFIGS / 2; i++) {
		reading reading = some_reading();
		const format format = format_of(i & 1 ?
			cudaChannelFormatKindSigned :
			cudaChannelFormatKindUnsigned, bits[i % 3],
			1 << below(3));
		const model model = some_model(format, reading);
		std::vector<query> queries;
		std::vector<point> points;
		cudaTextureObject_t object;
		cudaArray_t array;

		reading.how.filterMode = cudaFilterModePoint;
		array = array_of(model, reading.nr_dims,
				 reading.is_layered ? cudaArrayLayered : 0);
		object = texture_of(resource_of(array), reading.how);
		for (j = 0; j < NR_QUERIES; j++) {
			points.push_back(some_point(model));
			queries.push_back(query_of(points[j], model, reading));
		}
		const std::vector<uint4> answers =
			ask_all<uint4>(object, call_of(reading), queries);
		for (j = 0; j < NR_QUERIES; j++)
			for (c = 0; c < 4; c++)
				assert_int_equal((&answers[j].x)[c],
					expected_bits(model, reading,
						      points[j], c));
		ok(cudaDestroyTextureObject(object));
		ok(cudaFreeArray(array));
	}
}

static void linear_memory_is_fetched_by_number(void **state)
{
	const format format = format_of(cudaChannelFormatKindSigned, 16, 2);
	const model model(format, 100, 1, 1);
	cudaTextureDesc how = {};
	cudaTextureObject_t object;
	std::vector<query> queries(104);
	cudaResourceDesc what;
	void *device;
	int i;

	(void)state;
	ok(cudaMalloc(&device, model.bytes.size()));
	ok(cudaMemcpy(device, model.bytes.data(), model.bytes.size(),
		      cudaMemcpyHostToDevice));
	memset(&what, 0, sizeof(what));
	what.resType = cudaResourceTypeLinear;
	what.res.linear.devPtr = device;
	what.res.linear.desc = format.desc;
	what.res.linear.sizeInBytes = model.bytes.size();
	for (i = 0; i < 104; i++)
		queries[i].layer = i - 2;
	object = texture_of(what, how);
	const std::vector<short2> answers = ask_all<short2>(object, CALL_FETCH,
							    queries);
	for (i = 0; i < 104; i++) {
		const bool is_inside = i >= 2 && i < 102;

		assert_int_equal(answers[i].x, is_inside ?
				 model.integer(i - 2, 0, 0, 0) : 0);
		assert_int_equal(answers[i].y, is_inside ?
				 model.integer(i - 2, 0, 0, 1) : 0);
	}
	ok(cudaDestroyTextureObject(object));
	how.readMode = cudaReadModeNormalizedFloat;
	object = texture_of(what, how);
	const std::vector<float2> floats = ask_all<float2>(object, CALL_FETCH,
							   queries);
	for (i = 2; i < 102; i++)
		assert_near(floats[i].y, model.real(i - 2, 0, 0, 1), 1);
	ok(cudaDestroyTextureObject(object));
	ok(cudaFree(device));
}

static void rows_of_memory_are_read_as_two_dimensions(void **state)
{
	const format format = format_of(cudaChannelFormatKindFloat, 32, 1);
	const model model(format, 17, 9, 1);
	reading reading = {};
	cudaTextureObject_t object;
	cudaResourceDesc what;
	size_t pitch;
	float *device;

	(void)state;
	ok(cudaMallocPitch(&device, &pitch, 17 * 4, 9));
	ok(cudaMemcpy2D(device, pitch, model.bytes.data(), 17 * 4, 17 * 4, 9,
			cudaMemcpyHostToDevice));
	memset(&what, 0, sizeof(what));
	what.resType = cudaResourceTypePitch2D;
	what.res.pitch2D.devPtr = device;
	what.res.pitch2D.desc = format.desc;
	what.res.pitch2D.width = 17;
	what.res.pitch2D.height = 9;
	what.res.pitch2D.pitchInBytes = pitch;
	reading.nr_dims = 2;
	reading.how.addressMode[0] = cudaAddressModeBorder;
	reading.how.addressMode[1] = cudaAddressModeClamp;
	reading.how.filterMode = cudaFilterModeLinear;
	object = texture_of(what, reading.how);
	check_floats(object, model, reading);
	ok(cudaDestroyTextureObject(object));
	ok(cudaFree(device));
}

/* Each level has one value, so the result shows which levels were mixed. */
static void levels_are_chosen_and_mixed(void **state)
{
	const format format = format_of(cudaChannelFormatKindFloat, 32, 1);
	cudaMipmappedArray_t mipmap;
	std::vector<query> queries;
	cudaResourceDesc what;
	cudaArray_t array;
	int i, filter, round;

	(void)state;
	ok(cudaMallocMipmappedArray(&mipmap, &format.desc, { 16, 16, 0 }, 5,
				    0));
	for (i = 0; i < 5; i++) {
		const std::vector<float> value(256, 100 * i * i);

		ok(cudaGetMipmappedArrayLevel(&array, mipmap, i));
		ok(cudaMemcpy2DToArray(array, 0, 0, value.data(), 64,
				       (16 >> i) * 4, 16 >> i,
				       cudaMemcpyHostToDevice));
	}
	memset(&what, 0, sizeof(what));
	what.resType = cudaResourceTypeMipmappedArray;
	what.res.mipmap.mipmap = mipmap;
	/* The level goes from -1 to 6, in 512ths. */
	for (i = -PARTS; i <= 6 * PARTS; i += 37) {
		query query = {};

		query.x = 0.3f;
		query.y = 0.7f;
		query.level = i / (float)PARTS;
		queries.push_back(query);
	}
	for (round = 0; round < 6; round++) {
		const int bias = round % 3 * 130;
		const int min = round % 2 * 300;
		const int max = round > 3 ? 1500 : 9 * PARTS;

		for (filter = 0; filter < 2; filter++) {
			cudaTextureDesc how = {};
			cudaTextureObject_t object;

			how.normalizedCoords = 1;
			how.mipmapFilterMode = (cudaTextureFilterMode)filter;
			how.mipmapLevelBias = bias / (float)PARTS;
			how.minMipmapLevelClamp = min / (float)PARTS;
			how.maxMipmapLevelClamp = max / (float)PARTS;
			object = texture_of(what, how);
			const std::vector<float> answers =
				ask_all<float>(object, CALL_2D_LOD, queries);
			for (i = 0; i < (int)queries.size(); i++) {
				int level = -PARTS + 37 * i + bias;
				int fine, part;

				level = level < min ? min : level;
				level = level > max ? max : level;
				level = level > 4 * PARTS ? 4 * PARTS : level;
				fine = filter ? level / PARTS :
					(level + PARTS / 2) / PARTS;
				part = filter ? (level % PARTS + 1) >> 1 : 0;
				assert_near(answers[i], 100 * fine * fine +
					    100 * (2 * fine + 1) * part / 256.0,
					    1);
			}
			/* A read without a level uses the finest allowed. */
			const std::vector<float> plain =
				ask_all<float>(object, CALL_2D, queries);
			if (!filter)
				assert_near(plain[0], min ? 100 : 0, 1);
			/* A gradient of four elements selects level 2. */
			query step = {};
			step.level = 4 / 16.0f;
			step.z = 1 / 16.0f;
			const std::vector<float> grad = ask_all<float>(object,
				CALL_2D_GRAD, std::vector<query>(1, step));
			if (!filter && !bias && !min)
				assert_near(grad[0], 400, 1);
			ok(cudaDestroyTextureObject(object));
		}
	}
	ok(cudaFreeMipmappedArray(mipmap));
}

static void gather_takes_four_from_the_lower_left_on(void **state)
{
	const format format = format_of(cudaChannelFormatKindUnsigned, 16, 4);
	const model model(format, 8, 8, 1);
	std::vector<query> queries;
	cudaTextureDesc how = {};
	cudaTextureObject_t object;
	cudaArray_t array;
	int i;

	(void)state;
	how.addressMode[0] = cudaAddressModeClamp;
	how.addressMode[1] = cudaAddressModeClamp;
	array = array_of(model, 2, cudaArrayTextureGather);
	object = texture_of(resource_of(array), how);
	for (i = 0; i < NR_QUERIES; i++) {
		query query = {};

		query.x = 1 + i % 6 + 0.25f;
		query.y = 1 + i / 13 + 0.75f;
		query.layer = i % 4;
		queries.push_back(query);
	}
	const std::vector<uint4> answers = ask_all<uint4>(object, CALL_GATHER,
							  queries);
	for (i = 0; i < NR_QUERIES; i++) {
		const int x = i % 6;
		const int y = 1 + i / 13;
		const int c = i % 4;

		assert_int_equal(answers[i].x, model.integer(x, y + 1, 0, c));
		assert_int_equal(answers[i].y,
				 model.integer(x + 1, y + 1, 0, c));
		assert_int_equal(answers[i].z, model.integer(x + 1, y, 0, c));
		assert_int_equal(answers[i].w, model.integer(x, y, 0, c));
	}
	ok(cudaDestroyTextureObject(object));
	ok(cudaFreeArray(array));
}

/* Directions through each face, by the programming guide's table */
static void a_direction_goes_through_its_face(void **state)
{
	const format format = format_of(cudaChannelFormatKindFloat, 32, 1);
	const model model(format, 4, 4, 6);
	cudaTextureDesc how = {};
	cudaTextureObject_t object;
	std::vector<query> queries;
	cudaArray_t array;
	int face, i;

	(void)state;
	array = array_of(model, 3, cudaArrayCubemap);
	object = texture_of(resource_of(array), how);
	for (i = 0; i < 6 * 16; i++) {
		/* Elements have their middle at -0.75, -0.25, 0.25 and 0.75. */
		const float s = (i % 4) * 0.5f - 0.75f;
		const float t = (i / 4 % 4) * 0.5f - 0.75f;
		const query all[] = {
			{ 1, -t, -s, 0, 0 }, { -1, -t, s, 0, 0 },
			{ s, 1, t, 0, 0 }, { s, -1, -t, 0, 0 },
			{ s, -t, 1, 0, 0 }, { -s, -t, -1, 0, 0 },
		};

		queries.push_back(all[i / 16]);
		/* The length of the direction does not matter. */
		queries.back().x *= 3;
		queries.back().y *= 3;
		queries.back().z *= 3;
	}
	const std::vector<float> answers = ask_all<float>(object, CALL_CUBEMAP,
							  queries);
	for (i = 0; i < 6 * 16; i++) {
		face = i / 16;
		assert_near(answers[i], model.real(i % 4, i / 4 % 4, face, 0),
			    1);
	}
	ok(cudaDestroyTextureObject(object));
	ok(cudaFreeArray(array));
}

static void a_view_reads_other_elements_and_some_layers(void **state)
{
	const format format = format_of(cudaChannelFormatKindUnsigned, 8, 4);
	const model model(format, 4, 4, 5);
	cudaResourceViewDesc view = {};
	cudaTextureDesc how = {};
	cudaTextureObject_t object;
	std::vector<query> queries(5);
	cudaResourceDesc what;
	cudaArray_t array;
	uint32_t bits;
	int i;

	(void)state;
	array = array_of(model, 2, cudaArrayLayered);
	what = resource_of(array);
	view.format = cudaResViewFormatUnsignedInt1;
	view.width = 4;
	view.height = 4;
	view.depth = 5;
	view.firstLayer = 1;
	view.lastLayer = 3;
	ok(cudaCreateTextureObject(&object, &what, &how, &view));
	for (i = 0; i < 5; i++) {
		queries[i].x = 2.5f;
		queries[i].y = 1.5f;
		queries[i].layer = i;
	}
	const std::vector<unsigned int> answers =
		ask_all<unsigned int>(object, CALL_2D_LAYERED, queries);
	for (i = 0; i < 5; i++) {
		memcpy(&bits, model.at(2, 1, i < 2 ? i + 1 : 3, 0), 4);
		assert_int_equal(answers[i], bits);
	}
	ok(cudaDestroyTextureObject(object));
	ok(cudaFreeArray(array));
}

static void bytes_of_srgb_become_linear(void **state)
{
	const format format = format_of(cudaChannelFormatKindUnsigned, 8, 4);
	const model model(format, 64, 1, 1);
	cudaTextureDesc how = {};
	cudaTextureObject_t object;
	std::vector<query> queries(64);
	cudaArray_t array;
	int i, c;

	(void)state;
	how.readMode = cudaReadModeNormalizedFloat;
	how.sRGB = 1;
	array = array_of(model, 1, 0);
	object = texture_of(resource_of(array), how);
	for (i = 0; i < 64; i++)
		queries[i].x = i + 0.5f;
	const std::vector<float4> answers = ask_all<float4>(object, CALL_1D,
							    queries);
	for (i = 0; i < 64; i++)
		for (c = 0; c < 4; c++) {
			const double value = model.real(i, 0, 0, c);
			const double linear = value <= 0.04045 ? value / 12.92 :
				pow((value + 0.055) / 1.055, 2.4);

			/* Alpha is not converted. */
			assert_near((&answers[i].x)[c],
				    c == 3 ? value : linear, 1);
		}
	ok(cudaDestroyTextureObject(object));
	ok(cudaFreeArray(array));
}

/* Surfaces */

enum shape {
	SURFACE_1D,
	SURFACE_2D,
	SURFACE_3D,
	SURFACE_1D_LAYERED,
	SURFACE_2D_LAYERED,
	SURFACE_CUBEMAP,
	NR_SHAPES,
};

struct touch {
	int x;
	int y;
	int z;
};

template <class T>
__global__ void write(cudaSurfaceObject_t to, int shape, const touch *where,
		      unsigned int nr, const T *values,
		      cudaSurfaceBoundaryMode mode)
{
	const unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
	const int len = sizeof(T);

	if (i >= nr)
		return;
	const touch at = where[i];
	switch (shape) {
	case SURFACE_1D:
		surf1Dwrite(values[i], to, at.x * len, mode);
		break;
	case SURFACE_2D:
		surf2Dwrite(values[i], to, at.x * len, at.y, mode);
		break;
	case SURFACE_3D:
		surf3Dwrite(values[i], to, at.x * len, at.y, at.z, mode);
		break;
	case SURFACE_1D_LAYERED:
		surf1DLayeredwrite(values[i], to, at.x * len, at.z, mode);
		break;
	case SURFACE_2D_LAYERED:
		surf2DLayeredwrite(values[i], to, at.x * len, at.y, at.z,
				   mode);
		break;
	default:
		surfCubemapwrite(values[i], to, at.x * len, at.y, at.z, mode);
	}
}

template <class T>
__global__ void read(cudaSurfaceObject_t from, int shape, const touch *where,
		     unsigned int nr, T *values, cudaSurfaceBoundaryMode mode)
{
	const unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
	const int len = sizeof(T);

	if (i >= nr)
		return;
	const touch at = where[i];
	switch (shape) {
	case SURFACE_1D:
		values[i] = surf1Dread<T>(from, at.x * len, mode);
		break;
	case SURFACE_2D:
		surf2Dread(&values[i], from, at.x * len, at.y, mode);
		break;
	case SURFACE_3D:
		values[i] = surf3Dread<T>(from, at.x * len, at.y, at.z, mode);
		break;
	case SURFACE_1D_LAYERED:
		values[i] = surf1DLayeredread<T>(from, at.x * len, at.z, mode);
		break;
	case SURFACE_2D_LAYERED:
		values[i] = surf2DLayeredread<T>(from, at.x * len, at.y, at.z,
						 mode);
		break;
	default:
		values[i] = surfCubemapread<T>(from, at.x * len, at.y, at.z,
					       mode);
	}
}

static const struct {
	int nr_dims;
	int size[3];
	unsigned int flags;
} shapes[NR_SHAPES] = {
	{ 1, { 13, 1, 1 }, 0 },
	{ 2, { 9, 7, 1 }, 0 },
	{ 3, { 5, 6, 4 }, 0 },
	{ 1, { 9, 1, 5 }, cudaArrayLayered },
	{ 2, { 5, 4, 3 }, cudaArrayLayered },
	{ 3, { 4, 4, 6 }, cudaArrayCubemap },
};

static void check_array(cudaArray_t array, const model &model)
{
	cudaMemcpy3DParms copy = {};
	std::vector<unsigned char> bytes(model.bytes.size());

	copy.srcArray = array;
	copy.dstPtr.ptr = bytes.data();
	copy.dstPtr.pitch = model.width * model.is.nr * model.is.len;
	copy.dstPtr.xsize = model.width;
	copy.dstPtr.ysize = model.height;
	copy.extent.width = model.width;
	copy.extent.height = model.height;
	copy.extent.depth = model.depth;
	copy.kind = cudaMemcpyDeviceToHost;
	ok(cudaMemcpy3D(&copy));
	assert_memory_equal(bytes.data(), model.bytes.data(), bytes.size());
}

static int brought_in(int i, int n)
{
	return i < 0 ? 0 : i < n ? i : n - 1;
}

/* Return: false if the place is outside and the mode ignores such places */
static bool place_of(touch *at, const model &model, bool is_clamped)
{
	const touch in = { brought_in(at->x, model.width),
			   brought_in(at->y, model.height),
			   brought_in(at->z, model.depth) };
	const bool is_inside = in.x == at->x && in.y == at->y && in.z == at->z;

	*at = in;
	return is_inside || is_clamped;
}

template <class T>
static void check_surface(const format &format, int shape,
			  cudaSurfaceBoundaryMode mode)
{
	const int *size = shapes[shape].size;
	model model(format, size[0], size[1], size[2]);
	const bool is_clamped = mode == cudaBoundaryModeClamp;
	std::vector<touch> where(NR_QUERIES);
	std::vector<T> values(NR_QUERIES), found(NR_QUERIES);
	cudaSurfaceObject_t surface;
	cudaResourceDesc what;
	cudaArray_t array;
	touch *in;
	T *device;
	int i, j;

	for (i = 0; i < NR_QUERIES; i++) {
		where[i].x = (int)below(size[0] + 4) - 2;
		where[i].y = size[1] > 1 ? (int)below(size[1] + 4) - 2 : 0;
		where[i].z = size[2] > 1 ? (int)below(size[2] + 4) - 2 : 0;
		for (j = 0; j < (int)sizeof(T); j++)
			((unsigned char *)&values[i])[j] = below(256);
	}
	array = array_of(model, shapes[shape].nr_dims,
			 shapes[shape].flags | cudaArraySurfaceLoadStore);
	what = resource_of(array);
	ok(cudaCreateSurfaceObject(&surface, &what));
	ok(cudaMalloc(&in, NR_QUERIES * sizeof(*in)));
	ok(cudaMalloc(&device, NR_QUERIES * sizeof(*device)));
	ok(cudaMemcpy(in, where.data(), NR_QUERIES * sizeof(*in),
		      cudaMemcpyHostToDevice));

	read<T><<<2, NR_QUERIES / 2>>>(surface, shape, in, NR_QUERIES, device,
				       mode);
	ok(cudaMemcpy(found.data(), device, NR_QUERIES * sizeof(T),
		      cudaMemcpyDeviceToHost));
	for (i = 0; i < NR_QUERIES; i++) {
		const T nothing = {};
		touch at = where[i];
		const bool is_there = place_of(&at, model, is_clamped);

		assert_memory_equal(&found[i], is_there ?
			(const void *)model.at(at.x, at.y, at.z, 0) :
			(const void *)&nothing, sizeof(T));
	}

	/* Write one after another, since two may have the same place. */
	ok(cudaMemcpy(device, values.data(), NR_QUERIES * sizeof(T),
		      cudaMemcpyHostToDevice));
	for (i = 0; i < NR_QUERIES; i += 8) {
		touch at = where[i];

		write<T><<<1, 1>>>(surface, shape, in + i, 1, device + i, mode);
		if (place_of(&at, model, is_clamped))
			memcpy((void *)model.at(at.x, at.y, at.z, 0),
			       &values[i], sizeof(T));
	}
	ok(cudaDeviceSynchronize());
	check_array(array, model);
	ok(cudaDestroySurfaceObject(surface));
	ok(cudaFreeArray(array));
	ok(cudaFree(in));
	ok(cudaFree(device));
}

static void surfaces_are_read_and_written_as_the_mode_says(void **state)
{
	static const cudaSurfaceBoundaryMode modes[] = {
		cudaBoundaryModeZero, cudaBoundaryModeClamp,
	};
	const cudaChannelFormatKind integers = cudaChannelFormatKindUnsigned;
	int shape, i;

	(void)state;
	for (shape = 0; shape < NR_SHAPES; shape++)
		for (i = 0; i < 2; i++) {
			check_surface<unsigned char>(format_of(integers, 8, 1),
						     shape, modes[i]);
			check_surface<ushort2>(format_of(integers, 16, 2),
					       shape, modes[i]);
			check_surface<float4>(format_of(
				cudaChannelFormatKindFloat, 32, 4), shape,
				modes[i]);
		}
}

/* Each thread of a grid accesses its own element, with the default mode. */
__global__ void number(cudaSurfaceObject_t to, int width, int height)
{
	const int x = blockIdx.x * blockDim.x + threadIdx.x;
	const int y = blockIdx.y * blockDim.y + threadIdx.y;
	int old;

	if (x >= width || y >= height)
		return;
	surf2Dread(&old, to, x * 4, y);
	surf2Dwrite(old + y * width + x, to, x * 4, y);
}

static void a_grid_writes_a_surface_that_a_texture_reads(void **state)
{
	const format format = format_of(cudaChannelFormatKindSigned, 32, 1);
	model model(format, 100, 70, 1);
	cudaTextureDesc how = {};
	cudaSurfaceObject_t surface;
	cudaTextureObject_t texture;
	std::vector<query> queries;
	cudaResourceDesc what;
	cudaArray_t array;
	int i;

	(void)state;
	array = array_of(model, 2, cudaArraySurfaceLoadStore);
	what = resource_of(array);
	ok(cudaCreateSurfaceObject(&surface, &what));
	texture = texture_of(what, how);
	number<<<dim3(7, 5), dim3(16, 16)>>>(surface, 100, 70);
	for (i = 0; i < 7000; i += 13) {
		query query = {};

		query.x = i % 100 + 0.5f;
		query.y = i / 100 + 0.5f;
		queries.push_back(query);
	}
	const std::vector<int> answers = ask_all<int>(texture, CALL_2D,
						      queries);
	for (i = 0; i < (int)queries.size(); i++)
		assert_int_equal(answers[i],
				 (int)(model.integer(13 * i % 100,
						     13 * i / 100, 0, 0) +
				       13 * i));
	ok(cudaDestroySurfaceObject(surface));
	ok(cudaDestroyTextureObject(texture));
	ok(cudaFreeArray(array));
}

/* Errors of kernels are caused in another process, as they are permanent. */

static int end_by(const char *what)
{
	const format format = format_of(cudaChannelFormatKindSigned, 32, 1);
	const model model(format, 8, 8, 1);
	cudaSurfaceObject_t surface;
	cudaResourceDesc resource;
	cudaArray_t array;
	touch at = { 2, 2, 0 };
	touch *in;
	int *device;

	array = array_of(model, 2, cudaArraySurfaceLoadStore);
	resource = resource_of(array);
	ok(cudaCreateSurfaceObject(&surface, &resource));
	if (!strcmp(what, "outside"))
		at.x = 8;
	if (!strcmp(what, "above"))
		at.y = -1;
	ok(cudaMalloc(&in, sizeof(at)));
	ok(cudaMalloc(&device, sizeof(*device)));
	ok(cudaMemcpy(in, &at, sizeof(at), cudaMemcpyHostToDevice));
	if (!strcmp(what, "destroyed"))
		ok(cudaDestroySurfaceObject(surface));
	if (!strcmp(what, "freed"))
		ok(cudaFreeArray(array));
	if (!strcmp(what, "misaligned")) {
		long long *wide;

		ok(cudaMalloc(&wide, sizeof(*wide)));
		at.x = 1;
		read<char><<<1, 1>>>(surface, SURFACE_2D, in, 1, (char *)wide,
				     cudaBoundaryModeTrap);
		ok(cudaDeviceSynchronize());
		write<int><<<1, 1>>>(surface + 4, SURFACE_2D, in, 1, device,
				     cudaBoundaryModeTrap);
	} else {
		read<int><<<1, 1>>>(surface, SURFACE_2D, in, 1, device,
				    cudaBoundaryModeTrap);
	}
	return cudaDeviceSynchronize();
}

static const struct {
	const char *what;
	cudaError_t error;
} endings[] = {
	{ "nothing", cudaSuccess },
	{ "outside", cudaErrorLaunchFailure },
	{ "above", cudaErrorLaunchFailure },
	{ "destroyed", cudaErrorLaunchFailure },
	{ "misaligned", cudaErrorLaunchFailure },
	{ "freed", cudaErrorIllegalAddress },
};

static void what_is_outside_ends_a_kernel(void **state)
{
	char *self = *(char **)state;
	unsigned int i;
	int status;
	pid_t child;

	for (i = 0; i < sizeof(endings) / sizeof(*endings); i++) {
		child = fork();
		if (!child) {
			execl(self, self, endings[i].what, NULL);
			_exit(99);
		}
		assert_int_equal(waitpid(child, &status, 0), child);
		assert_true(WIFEXITED(status));
		assert_int_equal(WEXITSTATUS(status), 0);
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_mode_reads_what_the_guide_says),
		cmocka_unit_test(integers_stay_what_they_are),
		cmocka_unit_test(linear_memory_is_fetched_by_number),
		cmocka_unit_test(rows_of_memory_are_read_as_two_dimensions),
		cmocka_unit_test(levels_are_chosen_and_mixed),
		cmocka_unit_test(gather_takes_four_from_the_lower_left_on),
		cmocka_unit_test(a_direction_goes_through_its_face),
		cmocka_unit_test(a_view_reads_other_elements_and_some_layers),
		cmocka_unit_test(bytes_of_srgb_become_linear),
		cmocka_unit_test(
			surfaces_are_read_and_written_as_the_mode_says),
		cmocka_unit_test(a_grid_writes_a_surface_that_a_texture_reads),
		cmocka_unit_test_prestate(what_is_outside_ends_a_kernel,
					  argv[0]),
	};
	unsigned int i;

	for (i = 0; argc > 1 && i < sizeof(endings) / sizeof(*endings); i++)
		if (!strcmp(argv[1], endings[i].what))
			return end_by(argv[1]) != endings[i].error;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
