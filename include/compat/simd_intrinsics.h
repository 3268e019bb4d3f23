/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Two halfwords, or four bytes, of a word at once: what __v...() come to. */
#ifndef __SIMD_INTRINSICS_H__
#define __SIMD_INTRINSICS_H__

/* Of each part: lane_x and lane_y to what expr says, cut to the part's bits. */
#define HEAPSIM_LANES(name, nr, type, expr)				\
static inline unsigned int name ## nr(unsigned int x, unsigned int y)	\
{									\
	const unsigned int mask = 0xffffffffU >> (32 - 32 / (nr));	\
	unsigned int ret = 0, i;					\
									\
	for (i = 0; i < 32; i += 32 / (nr)) {				\
		const int lane_x = (type)(x >> i & mask);		\
		const int lane_y = (type)(y >> i & mask);		\
									\
		ret |= ((unsigned int)(expr) & mask) << i;		\
	}								\
	return ret;							\
}

#define HEAPSIM_LANES_SIGNED(name, expr)				\
HEAPSIM_LANES(name, 2, short, expr)					\
HEAPSIM_LANES(name, 4, signed char, expr)

#define HEAPSIM_LANES_UNSIGNED(name, expr)				\
HEAPSIM_LANES(name, 2, unsigned short, expr)				\
HEAPSIM_LANES(name, 4, unsigned char, expr)

/* The ends of a part's range, where a sum is beyond them. */
static inline int heapsim_clamp(int x, int low, int high)
{
	return x < low ? low : x > high ? high : x;
}

#define HEAPSIM_SATURATED(name, op)					\
HEAPSIM_LANES(name ## ss, 2, short,					\
	      heapsim_clamp(lane_x op lane_y, -0x8000, 0x7fff))		\
HEAPSIM_LANES(name ## ss, 4, signed char,				\
	      heapsim_clamp(lane_x op lane_y, -0x80, 0x7f))		\
HEAPSIM_LANES(name ## us, 2, unsigned short,				\
	      heapsim_clamp(lane_x op lane_y, 0, 0xffff))		\
HEAPSIM_LANES(name ## us, 4, unsigned char,				\
	      heapsim_clamp(lane_x op lane_y, 0, 0xff))

HEAPSIM_LANES_UNSIGNED(__vadd, lane_x + lane_y)
HEAPSIM_LANES_UNSIGNED(__vsub, lane_x - lane_y)
HEAPSIM_SATURATED(__vadd, +)
HEAPSIM_SATURATED(__vsub, -)

HEAPSIM_LANES_SIGNED(__vmaxs, lane_x > lane_y ? lane_x : lane_y)
HEAPSIM_LANES_SIGNED(__vmins, lane_x < lane_y ? lane_x : lane_y)
HEAPSIM_LANES_UNSIGNED(__vmaxu, lane_x > lane_y ? lane_x : lane_y)
HEAPSIM_LANES_UNSIGNED(__vminu, lane_x < lane_y ? lane_x : lane_y)

HEAPSIM_LANES_SIGNED(__vabsdiffs,
		     lane_x > lane_y ? lane_x - lane_y : lane_y - lane_x)
HEAPSIM_LANES_UNSIGNED(__vabsdiffu,
		       lane_x > lane_y ? lane_x - lane_y : lane_y - lane_x)

/* Half a sum: rounded away from 0 (PTX, vavrg2), or down. */
HEAPSIM_LANES_SIGNED(__vavgs,
		     (lane_x + lane_y + (lane_x + lane_y >= 0)) >> 1)
HEAPSIM_LANES_UNSIGNED(__vavgu, (lane_x + lane_y + 1) >> 1)
HEAPSIM_LANES_UNSIGNED(__vhaddu, (lane_x + lane_y) >> 1)

/* Comparisons: all bits of the part, or its lowest one. */
#define HEAPSIM_COMPARED(kind, name, op)				\
HEAPSIM_LANES_ ## kind(__vcmp ## name, -(lane_x op lane_y))		\
HEAPSIM_LANES_ ## kind(__vset ## name, lane_x op lane_y)

HEAPSIM_COMPARED(UNSIGNED, eq, ==)
HEAPSIM_COMPARED(UNSIGNED, ne, !=)
HEAPSIM_COMPARED(SIGNED, ges, >=)
HEAPSIM_COMPARED(UNSIGNED, geu, >=)
HEAPSIM_COMPARED(SIGNED, gts, >)
HEAPSIM_COMPARED(UNSIGNED, gtu, >)
HEAPSIM_COMPARED(SIGNED, les, <=)
HEAPSIM_COMPARED(UNSIGNED, leu, <=)
HEAPSIM_COMPARED(SIGNED, lts, <)
HEAPSIM_COMPARED(UNSIGNED, ltu, <)

#undef HEAPSIM_COMPARED
#undef HEAPSIM_SATURATED
#undef HEAPSIM_LANES_UNSIGNED
#undef HEAPSIM_LANES_SIGNED
#undef HEAPSIM_LANES

/* Of one word, by those of two; and sums over the parts. */
#define HEAPSIM_ALONE(nr)						\
static inline unsigned int __vneg ## nr(unsigned int x)			\
{									\
	return __vsub ## nr(0, x);					\
}									\
									\
static inline unsigned int __vnegss ## nr(unsigned int x)		\
{									\
	return __vsubss ## nr(0, x);					\
}									\
									\
static inline unsigned int __vabs ## nr(unsigned int x)			\
{									\
	const unsigned int is_negative = __vcmplts ## nr(x, 0);		\
									\
	return (x & ~is_negative) | (__vneg ## nr(x) & is_negative);	\
}									\
									\
static inline unsigned int __vabsss ## nr(unsigned int x)		\
{									\
	return __vmaxs ## nr(x, __vnegss ## nr(x));			\
}									\
									\
static inline unsigned int heapsim_vsum ## nr(unsigned int x)		\
{									\
	unsigned int sum = 0, i;					\
									\
	for (i = 0; i < 32; i += 32 / (nr))				\
		sum += x >> i & 0xffffffffU >> (32 - 32 / (nr));	\
	return sum;							\
}									\
									\
static inline unsigned int __vsads ## nr(unsigned int x, unsigned int y) \
{									\
	return heapsim_vsum ## nr(__vabsdiffs ## nr(x, y));		\
}									\
									\
static inline unsigned int __vsadu ## nr(unsigned int x, unsigned int y) \
{									\
	return heapsim_vsum ## nr(__vabsdiffu ## nr(x, y));		\
}

HEAPSIM_ALONE(2)
HEAPSIM_ALONE(4)

#undef HEAPSIM_ALONE

#endif
