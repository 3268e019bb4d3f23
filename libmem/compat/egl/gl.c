// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * libmem-gl: the calls of OpenGL that upload a two-dimensional texture, copy it
 * and read it back. Their work is in order of the current context's stream.
 */
#include <errno.h>

#include <drm_fourcc.h>
#define GL_GLEXT_PROTOTYPES
#include <GL/gl.h>
#include <GL/glext.h>

#include "egl.h"

/* A size of pixels that a program can pass; textures are stored likewise. */
static const struct {
	GLenum format;
	GLenum type;
	struct egl_format as;
} pixels[] = {
	{ GL_RED, GL_UNSIGNED_BYTE, { DRM_FORMAT_R8, 1, 1, false } },
	{ GL_LUMINANCE, GL_UNSIGNED_BYTE, { DRM_FORMAT_R8, 1, 1, false } },
	{ GL_ALPHA, GL_UNSIGNED_BYTE, { DRM_FORMAT_R8, 1, 1, false } },
	{ GL_RG, GL_UNSIGNED_BYTE, { DRM_FORMAT_GR88, 2, 1, false } },
	{ GL_RGBA, GL_UNSIGNED_BYTE, { DRM_FORMAT_ABGR8888, 4, 1, false } },
	{ GL_BGRA, GL_UNSIGNED_BYTE, { DRM_FORMAT_ARGB8888, 4, 1, false } },
	{ GL_RED, GL_FLOAT, { 0, 1, 4, true } },
	{ GL_RG, GL_FLOAT, { 0, 2, 4, true } },
	{ GL_RGBA, GL_FLOAT, { 0, 4, 4, true } },
};

static void gl_fail(GLenum error)
{
	struct egl_context *context = egl_current();

	if (context && !context->error)
		context->error = error;
}

/* Lets a call fail with an error of libmem; 0: it succeeds. */
static void gl_end(int err)
{
	if (err)
		gl_fail(err == -EINVAL ? GL_INVALID_VALUE : GL_OUT_OF_MEMORY);
}

static const struct egl_format *gl_format_of(GLenum format, GLenum type)
{
	size_t i;

	for (i = 0; i < NR(pixels); i++)
		if (pixels[i].format == format && pixels[i].type == type)
			return &pixels[i].as;
	return NULL;
}

static bool gl_is_like(const struct egl_format *a, const struct egl_format *b)
{
	return a->fourcc == b->fourcc && a->nr_channels == b->nr_channels &&
	       a->channel_len == b->channel_len && a->is_float == b->is_float;
}

/* Returns the bound texture; NULL: the call has failed, or has no context. */
static struct egl_texture *gl_texture(GLenum target)
{
	struct egl_context *context = egl_current();

	if (target != GL_TEXTURE_2D)
		gl_fail(GL_INVALID_ENUM);
	else if (context && !context->texture)
		gl_fail(GL_INVALID_OPERATION);
	else if (context)
		return context->texture;
	return NULL;
}

API GLenum glGetError(void)
{
	struct egl_context *context = egl_current();
	GLenum error = GL_NO_ERROR;

	if (context) {
		error = context->error;
		context->error = GL_NO_ERROR;
	}
	return error;
}

API void glGenTextures(GLsizei n, GLuint *textures)
{
	GLsizei i;

	if (!egl_current())
		return;
	if (n < 0)
		gl_fail(GL_INVALID_VALUE);
	for (i = 0; i < n; i++)
		gl_end(egl_texture_create(&textures[i]));
}

API void glDeleteTextures(GLsizei n, const GLuint *textures)
{
	struct egl_context *context = egl_current();
	struct egl_texture *texture;
	GLsizei i;

	if (!context)
		return;
	if (n < 0)
		gl_fail(GL_INVALID_VALUE);
	for (i = 0; i < n; i++) {
		texture = egl_texture_get(textures[i]);
		if (!texture)
			continue;
		if (context->texture == texture) {
			context->texture = NULL;
			egl_object_put(texture);
		}
		egl_texture_del(texture);
		egl_object_put(texture);
	}
}

API GLboolean glIsTexture(GLuint name)
{
	struct egl_texture *texture = egl_texture_get(name);

	egl_object_put(texture);
	return texture ? GL_TRUE : GL_FALSE;
}

API void glBindTexture(GLenum target, GLuint name)
{
	struct egl_context *context = egl_current();
	struct egl_texture *texture = NULL;

	if (!context)
		return;
	if (target != GL_TEXTURE_2D) {
		gl_fail(GL_INVALID_ENUM);
		return;
	}
	if (name)
		texture = egl_texture_get(name);
	if (name && !texture) {
		gl_fail(GL_INVALID_OPERATION);
		return;
	}
	egl_object_put(context->texture);
	context->texture = texture;
}

/* Textures are not drawn, so how they would be does not matter. */
API void glTexParameteri(GLenum target, GLenum pname, GLint param)
{
	(void)pname;
	(void)param;
	gl_texture(target);
}

API void glTexImage2D(GLenum target, GLint level, GLint internalFormat,
		      GLsizei width, GLsizei height, GLint border,
		      GLenum format, GLenum type, const GLvoid *from)
{
	const struct egl_format *as = gl_format_of(format, type);
	struct egl_texture *texture = gl_texture(target);
	int err;

	/* Pixels are stored as the program passes them. */
	(void)internalFormat;
	if (!texture)
		return;
	if (!as) {
		gl_fail(GL_INVALID_ENUM);
		return;
	}
	if (level || border || width < 0 || height < 0) {
		gl_fail(GL_INVALID_VALUE);
		return;
	}
	err = egl_texture_specify(texture, width, height, as);
	if (!err && from && width && height)
		err = egl_texture_write(texture, egl_current()->stream, 0, 0,
					width, height, from);
	gl_end(err);
}

API void glTexSubImage2D(GLenum target, GLint level, GLint xoffset,
			 GLint yoffset, GLsizei width, GLsizei height,
			 GLenum format, GLenum type, const GLvoid *from)
{
	const struct egl_format *as = gl_format_of(format, type);
	struct egl_texture *texture = gl_texture(target);

	if (!texture)
		return;
	if (!as) {
		gl_fail(GL_INVALID_ENUM);
		return;
	}
	if (level || xoffset < 0 || yoffset < 0 || width < 0 || height < 0) {
		gl_fail(GL_INVALID_VALUE);
		return;
	}
	if (!texture->memory || !gl_is_like(as, &texture->format)) {
		gl_fail(GL_INVALID_OPERATION);
		return;
	}
	gl_end(egl_texture_write(texture, egl_current()->stream, xoffset,
				 yoffset, width, height, from));
}

API void glGetTexImage(GLenum target, GLint level, GLenum format, GLenum type,
		       GLvoid *to)
{
	const struct egl_format *as = gl_format_of(format, type);
	struct egl_texture *texture = gl_texture(target);

	if (!texture)
		return;
	if (!as) {
		gl_fail(GL_INVALID_ENUM);
		return;
	}
	if (level) {
		gl_fail(GL_INVALID_VALUE);
		return;
	}
	if (!texture->memory || !gl_is_like(as, &texture->format)) {
		gl_fail(GL_INVALID_OPERATION);
		return;
	}
	gl_end(egl_texture_read(texture, egl_current()->stream, to));
}

/* Formats may differ, but their pixels must have the same length. */
static void gl_copy(struct egl_texture *from, GLint from_x, GLint from_y,
		    struct egl_texture *to, GLint to_x, GLint to_y,
		    GLsizei width, GLsizei height)
{
	const int err = egl_texture_copy(from, from_x, from_y, to, to_x, to_y,
					 width, height, egl_current()->stream);

	if (err == -EMEDIUMTYPE)
		gl_fail(GL_INVALID_OPERATION);
	else
		gl_end(err);
}

API void glCopyImageSubData(GLuint srcName, GLenum srcTarget, GLint srcLevel,
			    GLint srcX, GLint srcY, GLint srcZ, GLuint dstName,
			    GLenum dstTarget, GLint dstLevel, GLint dstX,
			    GLint dstY, GLint dstZ, GLsizei srcWidth,
			    GLsizei srcHeight, GLsizei srcDepth)
{
	struct egl_texture *from, *to;

	if (!egl_current())
		return;
	if (srcTarget != GL_TEXTURE_2D || dstTarget != GL_TEXTURE_2D) {
		gl_fail(GL_INVALID_ENUM);
		return;
	}
	from = egl_texture_get(srcName);
	to = egl_texture_get(dstName);
	if (!from || !to || srcLevel || dstLevel || srcX < 0 || srcY < 0 ||
	    srcZ || dstX < 0 || dstY < 0 || dstZ || srcWidth < 0 ||
	    srcHeight < 0 || srcDepth != 1)
		gl_fail(GL_INVALID_VALUE);
	else
		gl_copy(from, srcX, srcY, to, dstX, dstY, srcWidth, srcHeight);
	egl_object_put(from);
	egl_object_put(to);
}

API void glFinish(void)
{
	struct egl_context *context = egl_current();

	if (context)
		mem_stream_sync(context->stream);
}

/* Work starts at once. */
API void glFlush(void)
{
}

API const GLubyte *glGetString(GLenum name)
{
	switch (name) {
	case GL_VENDOR:
		return (const GLubyte *)"heapsim";
	case GL_RENDERER:
		return (const GLubyte *)"libmem";
	case GL_VERSION:
		return (const GLubyte *)"2.1 libmem";
	case GL_EXTENSIONS:
		return (const GLubyte *)"";
	default:
		gl_fail(GL_INVALID_ENUM);
		return NULL;
	}
}
