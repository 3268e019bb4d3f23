// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * heapsim_cu.h in C++, and the runtime's calls that take types. What heapsim-cu
 * makes of a launch is a call of the kernel while heapsim::config says that one
 * is meant; the kernel then has itself launched, by what stands before its
 * body. An engine means no launch, and gets on with the body.
 */
#ifndef _HEAPSIM_CU_HPP
#define _HEAPSIM_CU_HPP

#include <type_traits>

namespace heapsim {

/* The launch that is meant from here to the end of the expression. */
class config : public heapsim_config {
public:
	config(dim3 its_grid, dim3 its_block, size_t its_shared = 0,
	       cudaStream_t its_stream = 0)
	{
#ifdef CUDA_API_PER_THREAD_DEFAULT_STREAM
		if (!its_stream)
			its_stream = cudaStreamPerThread;
#endif
		grid = its_grid;
		block = its_block;
		shared = its_shared;
		stream = its_stream;
		before = heapsim_cu_config;
		heapsim_cu_config = this;
	}

	~config()
	{
		/* If the kernel was not what was called. */
		if (heapsim_cu_config == this)
			heapsim_cu_config = before;
	}

	config(const config &) = delete;
	config &operator=(const config &) = delete;
};

template <size_t... I> struct indices {
};

template <size_t N, size_t... I> struct make_indices :
	make_indices<N - 1, N - 1, I...> {
};

template <size_t... I> struct make_indices<0, I...> {
	typedef indices<I...> type;
};

/* A reference is where it refers to, as a pointer would say. */
template <class T> class reference {
public:
	reference(T &its) : at(&its)
	{
	}

	operator T &() const
	{
		return *at;
	}

private:
	T *at;
};

/*
 * The bytes of a value, which no constructor has made and no destructor ends:
 * what a thread of a kernel has of it.
 */
template <class T> class bytes {
public:
	bytes(const void *from)
	{
		__builtin_memcpy(at, from, sizeof(at));
	}

	operator T &()
	{
		return *reinterpret_cast<T *>(at);
	}

private:
	alignas(T) unsigned char at[sizeof(T)];
};

/* Is a T in registers, and not an address of one, for who calls a function? */
template <class T> struct is_plain {
	static const bool value = std::is_trivially_destructible<T>::value &&
		(std::is_copy_constructible<T>::value ||
		 std::is_move_constructible<T>::value) &&
		(!std::is_copy_constructible<T>::value ||
		 std::is_trivially_copy_constructible<T>::value) &&
		(!std::is_move_constructible<T>::value ||
		 std::is_trivially_move_constructible<T>::value);
};

/*
 * A parameter on its way: what is kept of it, how launch() gets it, what a
 * kernel is called with, and as what. One with a copy constructor is copied by
 * that on the host, once; the kernel's threads get its bytes, as on a GPU. They
 * are passed by address, as g++ and clang pass it.
 */
template <class T, bool = is_plain<T>::value> struct passed {
	typedef T kept;
	typedef T launched;
	typedef T called;
	typedef T &given;

	static given give(void *at)
	{
		return *static_cast<T *>(at);
	}
};

template <class T> struct passed<T, false> {
	typedef T kept;
	typedef T &launched;
	typedef T &called;
	typedef bytes<T> given;

	static given give(void *at)
	{
		return given(at);
	}
};

template <class T, bool is_any> struct passed<T &, is_any> {
	typedef reference<T> kept;
	typedef reference<T> launched;
	typedef T &called;
	typedef T &given;

	static given give(void *at)
	{
		return *static_cast<reference<T> *>(at);
	}
};

/*
 * What a parameter's type is to the function's: g++ keeps the __restrict__ of a
 * template's parameter, and then finds no such function.
 */
template <class T> struct parameter {
	typedef T type;
};

template <class T> struct parameter<T *__restrict__> {
	typedef T *type;
};

template <class T> struct parameter<T *const __restrict__> {
	typedef T *type;
};

/* Kernels of one list of parameters: they have no zero-length arrays. */
template <class... P> struct parameters {
	static const size_t *sizes()
	{
		static const size_t all[] = {
			sizeof(typename passed<P>::kept)..., 0
		};

		return all;
	}

	static const size_t *aligns()
	{
		static const size_t all[] = {
			alignof(typename passed<P>::kept)..., 1
		};

		return all;
	}

	typedef void (*called)(typename passed<P>::called...);

	template <size_t... I>
	static void call_with(called fn, void **args, indices<I...>)
	{
		(void)args;
		fn(passed<P>::give(args[I])...);
	}

	static void call(const void *fn, void **args)
	{
		call_with(reinterpret_cast<called>(const_cast<void *>(fn)),
			  args, typename make_indices<sizeof...(P)>::type());
	}

	static void fill(heapsim_kernel *kernel, void (*fn)(P...),
			 const char *name)
	{
		kernel->fn = reinterpret_cast<const void *>(fn);
		kernel->call = call;
		kernel->nr_params = sizeof...(P);
		kernel->sizes = sizes();
		kernel->aligns = aligns();
		kernel->name = name;
	}
};

/* A kernel: known from the start of the program on, by its constructor. */
struct known_kernel : heapsim_kernel {
	template <class... P>
	known_kernel(void (*its_fn)(P...), const char *its_name) :
		heapsim_kernel()
	{
		parameters<P...>::fill(this, its_fn, its_name);
		heapsim_cu_kernel(this);
	}
};

template <class F, F f> struct kernel;

template <class... P, void (*f)(P...)> struct kernel<void (*)(P...), f> {
	static known_kernel known;

	/*
	 * By value: a kernel whose parameters had their address taken would
	 * read them from memory each time.
	 */
	static void __attribute__((noinline, cold))
	launch(typename passed<P>::launched... values)
	{
		void *args[] = { const_cast<void *>(
			static_cast<const volatile void *>(&values))...,
			nullptr };

		heapsim_cu_launch(&known, args);
	}

	static const char *name()
	{
		return __PRETTY_FUNCTION__;
	}
};

template <class... P, void (*f)(P...)>
known_kernel kernel<void (*)(P...), f>::known(f, name());

template <class T>
inline T &variable(T &initial, heapsim_place place, const char *name)
{
	return *static_cast<T *>(heapsim_cu_variable(
		const_cast<void *>(static_cast<const volatile void *>(
			&initial)), sizeof(T), place, name));
}

}

/* Without heapsim-cu: see heapsim_cu.h. */
#define CUDA_KERNEL(...)						\
	HEAPSIM_CU_KERNEL(__COUNTER__, __VA_ARGS__, )

#define HEAPSIM_CU_KERNEL(nr, ...)	HEAPSIM_CU_KERNEL_(nr, __VA_ARGS__)
#define HEAPSIM_CU_KERNEL_(nr, kernel, ...)				\
	static ::heapsim::known_kernel heapsim_kernel_ ## nr(kernel, #kernel)

namespace heapsim {

/* T may be const or volatile. */
template <class T> inline void **any(T **ptr)
{
	return static_cast<void **>(static_cast<void *>(ptr));
}

template <class T> inline const void *address(const T &symbol)
{
	return const_cast<const void *>(
		static_cast<const volatile void *>(&symbol));
}

}

/* cuda_runtime_api.h's calls for pointers to any type. */
template <class T> inline cudaError_t cudaMalloc(T **ptr, size_t size)
{
	return cudaMalloc(heapsim::any(ptr), size);
}

template <class T>
inline cudaError_t cudaMallocManaged(T **ptr, size_t size,
				     unsigned int flags = cudaMemAttachGlobal)
{
	return cudaMallocManaged(heapsim::any(ptr), size, flags);
}

template <class T>
inline cudaError_t cudaMallocHost(T **ptr, size_t size,
				  unsigned int flags = cudaHostAllocDefault)
{
	return cudaHostAlloc(heapsim::any(ptr), size, flags);
}

template <class T>
inline cudaError_t cudaHostAlloc(T **ptr, size_t size, unsigned int flags)
{
	return cudaHostAlloc(heapsim::any(ptr), size, flags);
}

template <class T>
inline cudaError_t cudaHostGetDevicePointer(T **device, void *host,
					    unsigned int flags)
{
	return cudaHostGetDevicePointer(heapsim::any(device),
					host, flags);
}

template <class T>
inline cudaError_t cudaMallocPitch(T **ptr, size_t *pitch, size_t width,
				   size_t height)
{
	return cudaMallocPitch(heapsim::any(ptr), pitch, width,
			       height);
}

template <class T>
inline cudaError_t cudaMallocAsync(T **ptr, size_t size, cudaStream_t stream)
{
	return cudaMallocAsync(heapsim::any(ptr), size, stream);
}

template <class T>
inline cudaError_t cudaMallocAsync(T **ptr, size_t size, cudaMemPool_t pool,
				   cudaStream_t stream)
{
	return cudaMallocFromPoolAsync(heapsim::any(ptr), size,
				       pool, stream);
}

template <class T>
inline cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, T *ptr,
					    size_t length = 0,
					    unsigned int flags =
					    cudaMemAttachSingle)
{
	return cudaStreamAttachMemAsync(stream, static_cast<void *>(ptr),
					length, flags);
}

static inline cudaError_t cudaEventCreate(cudaEvent_t *event,
					  unsigned int flags)
{
	return cudaEventCreateWithFlags(event, flags);
}

template <class T>
inline cudaError_t cudaGetSymbolAddress(void **ptr, const T &symbol)
{
	return cudaGetSymbolAddress(ptr, ::heapsim::address(symbol));
}

template <class T>
inline cudaError_t cudaGetSymbolSize(size_t *size, const T &symbol)
{
	return cudaGetSymbolSize(size, ::heapsim::address(symbol));
}

template <class T>
inline cudaError_t cudaMemcpyToSymbol(const T &symbol, const void *src,
				      size_t count, size_t offset = 0,
				      enum cudaMemcpyKind kind =
				      cudaMemcpyHostToDevice)
{
	return cudaMemcpyToSymbol(::heapsim::address(symbol), src, count,
				  offset, kind);
}

template <class T>
inline cudaError_t cudaMemcpyToSymbolAsync(const T &symbol, const void *src,
					   size_t count, size_t offset = 0,
					   enum cudaMemcpyKind kind =
					   cudaMemcpyHostToDevice,
					   cudaStream_t stream = 0)
{
	return cudaMemcpyToSymbolAsync(::heapsim::address(symbol), src, count,
				       offset, kind, stream);
}

template <class T>
inline cudaError_t cudaMemcpyFromSymbol(void *dst, const T &symbol,
					size_t count, size_t offset = 0,
					enum cudaMemcpyKind kind =
					cudaMemcpyDeviceToHost)
{
	return cudaMemcpyFromSymbol(dst, ::heapsim::address(symbol), count,
				    offset, kind);
}

template <class T>
inline cudaError_t cudaMemcpyFromSymbolAsync(void *dst, const T &symbol,
					     size_t count, size_t offset = 0,
					     enum cudaMemcpyKind kind =
					     cudaMemcpyDeviceToHost,
					     cudaStream_t stream = 0)
{
	return cudaMemcpyFromSymbolAsync(dst, ::heapsim::address(symbol),
					 count, offset, kind, stream);
}

/* Of a function: what it is for CUDA's calls is its address. */
template <class T>
inline cudaError_t cudaLaunchKernel(T *func, dim3 grid, dim3 block,
				    void **args, size_t shared = 0,
				    cudaStream_t stream = 0)
{
	return cudaLaunchKernel(reinterpret_cast<const void *>(func), grid,
				block, args, shared, stream);
}

/* Its type says its parameters: it gets known, unless it is. */
template <class... P>
inline cudaError_t cudaLaunchKernel(void (*func)(P...), dim3 grid, dim3 block,
				    void **args, size_t shared = 0,
				    cudaStream_t stream = 0)
{
	if (func && !heapsim_cu_is_kernel(reinterpret_cast<const void *>(func)))
		new ::heapsim::known_kernel(func, nullptr);
	return cudaLaunchKernel(reinterpret_cast<const void *>(func), grid,
				block, args, shared, stream);
}

/* Blocks that wait for each other: not there, but it compiles. */
template <class T>
inline cudaError_t cudaLaunchCooperativeKernel(T *func, dim3 grid, dim3 block,
					       void **args, size_t shared = 0,
					       cudaStream_t stream = 0)
{
	return cudaLaunchCooperativeKernel(reinterpret_cast<const void *>(func),
					   grid, block, args, shared, stream);
}

template <class... P, class... A>
inline cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t *config,
				      void (*func)(P...), A &&...values)
{
	return [&](typename ::heapsim::passed<P>::kept... converted) {
		void *args[] = { const_cast<void *>(
			static_cast<const volatile void *>(&converted))...,
			nullptr };

		if (!heapsim_cu_is_kernel(
				reinterpret_cast<const void *>(func)))
			new ::heapsim::known_kernel(func, nullptr);
		return cudaLaunchKernelExC(config,
					   reinterpret_cast<const void *>(func),
					   args);
	}(static_cast<A &&>(values)...);
}

template <class T>
inline cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attributes,
					 T *func)
{
	return cudaFuncGetAttributes(attributes,
				     reinterpret_cast<const void *>(func));
}

template <class T>
inline cudaError_t cudaFuncSetAttribute(T *func,
					enum cudaFuncAttribute attribute,
					int value)
{
	return cudaFuncSetAttribute(reinterpret_cast<const void *>(func),
				    attribute, value);
}

template <class T>
inline cudaError_t cudaFuncSetCacheConfig(T *func, enum cudaFuncCache config)
{
	return cudaFuncSetCacheConfig(reinterpret_cast<const void *>(func),
				      config);
}

template <class T>
inline cudaError_t cudaFuncSetSharedMemConfig(T *func,
					      enum cudaSharedMemConfig config)
{
	return cudaFuncSetSharedMemConfig(reinterpret_cast<const void *>(func),
					  config);
}

template <class T>
inline cudaError_t
cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *nr, T func, int block_size,
					      size_t shared)
{
	return cudaOccupancyMaxActiveBlocksPerMultiprocessor(
		nr, reinterpret_cast<const void *>(func), block_size, shared);
}

template <class T>
inline cudaError_t
cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *nr, T func,
						       int block_size,
						       size_t shared,
						       unsigned int flags)
{
	return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
		nr, reinterpret_cast<const void *>(func), block_size, shared,
		flags);
}

template <class T>
inline cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *size,
							     T func, int nr,
							     int block_size)
{
	return cudaOccupancyAvailableDynamicSMemPerBlock(
		size, reinterpret_cast<const void *>(func), nr, block_size);
}

/*
 * The block size that keeps most threads of a multiprocessor busy: of equals
 * the largest.
 */
template <class F, class T>
inline cudaError_t
cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(int *min_grid,
							int *block_size,
							T func, F shared_of,
							int limit = 0,
							unsigned int flags = 0)
{
	cudaFuncAttributes attributes;
	cudaError_t err;
	int device, nr_sms, size, nr, best = 0;

	if (!min_grid || !block_size || !func)
		return cudaErrorInvalidValue;
	err = cudaGetDevice(&device);
	if (!err)
		err = cudaDeviceGetAttribute(&nr_sms,
					     cudaDevAttrMultiProcessorCount,
					     device);
	if (!err)
		err = cudaFuncGetAttributes(&attributes,
					    reinterpret_cast<const void *>(
						    func));
	if (err)
		return err;
	size = attributes.maxThreadsPerBlock;
	if (limit > 0 && limit < size)
		size = limit;
	while (size > 0) {
		err = cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
			&nr, func, size, static_cast<size_t>(shared_of(size)),
			flags);
		if (err)
			return err;
		if (nr * size > best) {
			best = nr * size;
			*block_size = size;
			*min_grid = nr * nr_sms;
		}
		size = (size - 1) / warpSize * warpSize;
	}
	return cudaSuccess;
}

template <class F, class T>
inline cudaError_t
cudaOccupancyMaxPotentialBlockSizeVariableSMem(int *min_grid, int *block_size,
					       T func, F shared_of,
					       int limit = 0)
{
	return cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(
		min_grid, block_size, func, shared_of, limit, 0U);
}

template <class T>
inline cudaError_t
cudaOccupancyMaxPotentialBlockSizeWithFlags(int *min_grid, int *block_size,
					    T func, size_t shared = 0,
					    int limit = 0,
					    unsigned int flags = 0)
{
	return cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(
		min_grid, block_size, func, [shared](int) { return shared; },
		limit, flags);
}

template <class T>
inline cudaError_t
cudaOccupancyMaxPotentialBlockSize(int *min_grid, int *block_size, T func,
				   size_t shared = 0, int limit = 0)
{
	return cudaOccupancyMaxPotentialBlockSizeWithFlags(
		min_grid, block_size, func, shared, limit, 0U);
}

#endif
