// SPDX-License-Identifier: GPL-2.0-only
// The public header in C++: its names link with C linkage. Prints TAP.
#include <libmem.h>

#include <cerrno>
#include <cstdio>

int main()
{
	mem_probe probe = {};
	mem_copy2d copy = {};
	struct mem_format_info format = {};
	bool is_good;

	probe.size = sizeof(probe);
	copy.size = sizeof(copy);
	format.size = sizeof(format);
	is_good = mem_version() == LIBMEM_VERSION &&
		  mem_ctx_probe(nullptr, &probe) == -EINVAL &&
		  mem_job_copy2d(&copy, nullptr) == -EINVAL &&
		  mem_buf_begin(nullptr, MEM_RW) == -EINVAL &&
		  mem_format_info(MEM_FORMAT_NV12, &format) == 0 &&
		  mem_attrs_slots(nullptr) == -EINVAL;
	mem_attrs_destroy(nullptr);
	mem_ctx_close(nullptr);
	std::printf("%s 1 - the_header_works_in_cxx\n1..1\n",
		    is_good ? "ok" : "not ok");
	return is_good ? 0 : 1;
}
