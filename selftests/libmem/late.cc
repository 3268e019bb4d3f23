// SPDX-License-Identifier: GPL-2.0-only
/* A library that is loaded late; several differ only in their name. */
#include <cstring>
#include <iostream>
#include <stdexcept>

#include <libmem.h>

struct found {
	int pid;
	unsigned int nr;
	uint64_t value;
	char text[32];
};

extern "C" {

void tell(const struct mem_block *, void *args)
{
	strcpy((*static_cast<found **>(args))->text, NAME);
}

void print(const struct mem_block *, void *)
{
	std::cout << 3.5 << " from C++" << std::endl;
}

void fail(const struct mem_block *, void *)
{
	throw std::runtime_error("a kernel's own");
}

}
