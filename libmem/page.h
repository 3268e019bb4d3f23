/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Pages that several processes map. */
#ifndef _LIBMEM_PAGE_H
#define _LIBMEM_PAGE_H

#include "fd.h"

int page_create(void **page, struct own_fd *file);
int page_map(int fd, int prot, void **page);
void page_unmap(const void *page);

#endif
