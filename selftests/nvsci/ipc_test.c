// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests NvSciIpc: endpoints, frames and events, with both ends in one process.
 */
#include "test.h"

static NvSciIpcEndpoint ends[2];

/* The ends find each other without a wait. */
static int open_ends(void **state)
{
	char names[2][128];
	int i;

	(void)state;
	ok(NvSciIpcInit());
	for (i = 0; i < 2; i++) {
		snprintf(names[i], sizeof(names[i]), "%s_%d",
			 channel_name("ipc_test"), i);
		ok(NvSciIpcOpenEndpoint(names[i], &ends[i]));
		ok(NvSciIpcResetEndpointSafe(ends[i]));
	}
	for (i = 0; i < 2; i++)
		wait_for_event(ends[i], NV_SCI_IPC_EVENT_CONN_EST);
	return 0;
}

static int close_ends(void **state)
{
	(void)state;
	NvSciIpcCloseEndpoint(ends[0]);
	NvSciIpcCloseEndpointSafe(ends[1], true);
	NvSciIpcDeinit();
	return 0;
}

static uint32_t events_of(NvSciIpcEndpoint end)
{
	uint32_t events = 0;

	ok(NvSciIpcGetEvent(end, &events));
	return events;
}

static bool is_readable(NvSciIpcEndpoint end)
{
	struct pollfd fd = { .events = POLLIN };
	int32_t nr;

	ok(NvSciIpcGetLinuxEventFd(end, &nr));
	fd.fd = nr;
	return poll(&fd, 1, 0) == 1;
}

static void nothing_is_there_before_init(void **state)
{
	struct NvSciIpcEndpointInfo info;
	NvSciIpcEndpoint end = 5;
	char byte = 0;
	uint32_t events, nr;
	int32_t fd, bytes;
	bool fits;

	(void)state;
	is(NvSciIpcOpenEndpoint("ipc_test", &end), NotInitialized);
	assert_int_equal(end, 5);
	is(NvSciIpcGetEndpointInfo(end, &info), NotInitialized);
	is(NvSciIpcGetLinuxEventFd(end, &fd), NotInitialized);
	is(NvSciIpcGetEvent(end, &events), NotInitialized);
	is(NvSciIpcRead(end, &byte, 1, &bytes), NotInitialized);
	is(NvSciIpcReadSafe(end, &byte, 1, &nr), NotInitialized);
	is(NvSciIpcWrite(end, &byte, 1, &bytes), NotInitialized);
	is(NvSciIpcResetEndpointSafe(end), NotInitialized);
	NvSciIpcCloseEndpoint(end);
	NvSciIpcDeinit();
	bad(NvSciIpcCheckVersionCompatibility(1, 0, NULL));
	ok(NvSciIpcCheckVersionCompatibility(NvSciIpcMajorVersion,
					     NvSciIpcMinorVersion, &fits));
	assert_true(fits);
	ok(NvSciIpcCheckVersionCompatibility(NvSciIpcMajorVersion + 1, 0,
					     &fits));
	assert_false(fits);
}

static void names_are_checked(void **state)
{
	char long_name[NVSCIIPC_MAX_ENDPOINT_NAME + 1];
	NvSciIpcEndpoint end = 5;

	(void)state;
	memset(long_name, 'a', sizeof(long_name) - 1);
	long_name[sizeof(long_name) - 1] = 0;
	ok(NvSciIpcInit());
	bad(NvSciIpcOpenEndpoint(NULL, &end));
	bad(NvSciIpcOpenEndpoint("name", NULL));
	bad(NvSciIpcOpenEndpoint("", &end));
	bad(NvSciIpcOpenEndpoint("a/b", &end));
	bad(NvSciIpcOpenEndpoint(long_name, &end));
	assert_int_equal(end, 5);
	NvSciIpcDeinit();
}

static void an_end_without_a_peer_answers(void **state)
{
	const char byte = 1;
	NvSciIpcEndpoint end;
	int32_t bytes;
	char got;

	(void)state;
	ok(NvSciIpcInit());
	ok(NvSciIpcOpenEndpoint(channel_name("alone"), &end));
	assert_int_equal(events_of(end), 0);
	assert_false(is_readable(end));
	is(NvSciIpcWrite(end, &byte, 1, &bytes), ConnectionReset);
	is(NvSciIpcRead(end, &got, 1, &bytes), ConnectionReset);
	ok(NvSciIpcCloseEndpointSafe(end, false));
	bad(NvSciIpcCloseEndpointSafe(end, false));
	bad(NvSciIpcCloseEndpointSafe(0, false));
	NvSciIpcDeinit();
}

static void deinit_closes_what_is_open(void **state)
{
	NvSciIpcEndpoint end;

	(void)state;
	ok(NvSciIpcInit());
	ok(NvSciIpcInit());
	ok(NvSciIpcOpenEndpoint(channel_name("left"), &end));
	NvSciIpcDeinit();
	ok(NvSciIpcResetEndpointSafe(end));
	NvSciIpcDeinit();
	ok(NvSciIpcInit());
	bad(NvSciIpcResetEndpointSafe(end));
	NvSciIpcDeinit();
}

static void a_process_has_50_ends(void **state)
{
	NvSciIpcEndpoint all[50], other;
	char name[128];
	size_t i;

	(void)state;
	ok(NvSciIpcInit());
	for (i = 0; i < NR(all); i++) {
		snprintf(name, sizeof(name), "%s.%zu", channel_name("many"),
			 i);
		ok(NvSciIpcOpenEndpoint(name, &all[i]));
	}
	is(NvSciIpcOpenEndpoint("other", &other), InsufficientResource);
	NvSciIpcCloseEndpoint(all[7]);
	ok(NvSciIpcOpenEndpoint(channel_name("other"), &other));
	/* A reused slot has another handle. */
	assert_int_not_equal(other, all[7]);
	bad(NvSciIpcResetEndpointSafe(all[7]));
	NvSciIpcDeinit();
}

static void frames_arrive_in_order(void **state)
{
	char sent[100], got[120];
	uint32_t nr;
	int i;

	(void)state;
	for (i = 0; i < 3; i++) {
		memset(sent, 'a' + i, sizeof(sent));
		ok(NvSciIpcWriteSafe(ends[0], sent, sizeof(sent), &nr));
		assert_int_equal(nr, sizeof(sent));
	}
	for (i = 0; i < 3; i++) {
		wait_for_event(ends[1], NV_SCI_IPC_EVENT_READ);
		memset(got, 'x', sizeof(got));
		ok(NvSciIpcReadSafe(ends[1], got, sizeof(got), &nr));
		assert_int_equal(nr, sizeof(got));
		memset(sent, 'a' + i, sizeof(sent));
		assert_memory_equal(got, sent, sizeof(sent));
		/* The rest of the frame is 0. */
		assert_int_equal(got[100], 0);
		assert_int_equal(got[119], 0);
	}
	is(NvSciIpcReadSafe(ends[1], got, sizeof(got), &nr),
	   InsufficientMemory);
}

static void what_is_not_read_of_a_frame_is_lost(void **state)
{
	static const char sent[] = "0123456789";
	char got[4];
	int32_t nr;

	(void)state;
	ok(NvSciIpcWrite(ends[0], sent, sizeof(sent), &nr));
	wait_for_event(ends[1], NV_SCI_IPC_EVENT_READ);
	ok(NvSciIpcRead(ends[1], got, sizeof(got), &nr));
	assert_int_equal(nr, 4);
	assert_memory_equal(got, "0123", 4);
	is(NvSciIpcRead(ends[1], got, sizeof(got), &nr), InsufficientMemory);
}

static void frames_are_read_and_written_in_place(void **state)
{
	const volatile void *frame;
	volatile void *room;
	uint32_t nr;
	char got[8];

	(void)state;
	is(NvSciIpcWriteAdvance(ends[0]), InvalidState);
	ok(NvSciIpcWriteGetNextFrame(ends[0], &room));
	((volatile char *)room)[0] = 'A';
	((volatile char *)room)[65535] = 'Z';
	ok(NvSciIpcWriteAdvance(ends[0]));
	is(NvSciIpcWriteAdvance(ends[0]), InvalidState);
	wait_for_event(ends[1], NV_SCI_IPC_EVENT_READ);
	ok(NvSciIpcReadGetNextFrame(ends[1], &frame));
	ok(NvSciIpcReadGetNextFrame(ends[1], &frame));
	assert_int_equal(((const volatile char *)frame)[0], 'A');
	assert_int_equal(((const volatile char *)frame)[1], 0);
	assert_int_equal(((const volatile char *)frame)[65535], 'Z');
	assert_int_equal(events_of(ends[1]) & NV_SCI_IPC_EVENT_READ,
			 NV_SCI_IPC_EVENT_READ);
	ok(NvSciIpcReadAdvance(ends[1]));
	is(NvSciIpcReadAdvance(ends[1]), InsufficientMemory);
	is(NvSciIpcReadGetNextFrame(ends[1], &frame), InsufficientMemory);
	/* A frame that was peeked at can still be read. */
	ok(NvSciIpcWriteSafe(ends[0], "abcdefg", 8, &nr));
	wait_for_event(ends[1], NV_SCI_IPC_EVENT_READ);
	ok(NvSciIpcReadGetNextFrame(ends[1], &frame));
	ok(NvSciIpcReadSafe(ends[1], got, sizeof(got), &nr));
	assert_string_equal(got, "abcdefg");
}

static void a_full_channel_says_so(void **state)
{
	struct NvSciIpcEndpointInfo info;
	NvSciError error;
	uint32_t nr;
	char byte = 0;
	size_t sent = 0;

	(void)state;
	ok(NvSciIpcGetEndpointInfo(ends[0], &info));
	assert_int_equal(info.nframes, MEM_ENDPOINT_QUEUE);
	assert_int_equal(info.frame_size, MEM_ENDPOINT_MAX);
	do {
		error = NvSciIpcWriteSafe(ends[0], &byte, 1, &nr);
		sent += !error;
		assert_true(sent <= info.nframes);
	} while (!error);
	assert_int_equal(error, NvSciError_InsufficientMemory);
	assert_int_equal(sent, info.nframes);
	assert_int_equal(events_of(ends[0]), 0);
	assert_false(is_readable(ends[0]));
	while (sent--) {
		wait_for_event(ends[1], NV_SCI_IPC_EVENT_READ);
		ok(NvSciIpcReadSafe(ends[1], &byte, 1, &nr));
	}
	wait_for_event(ends[0], NV_SCI_IPC_EVENT_WRITE);
	ok(NvSciIpcWriteSafe(ends[0], &byte, 1, &nr));
}

static void reads_and_writes_are_checked(void **state)
{
	struct NvSciIpcEndpointInfo info;
	static char bytes[MEM_ENDPOINT_MAX + 1];
	uint32_t nr = 77;
	int32_t fd;

	(void)state;
	bad(NvSciIpcWriteSafe(ends[0], NULL, 1, &nr));
	bad(NvSciIpcWriteSafe(ends[0], bytes, 0, &nr));
	bad(NvSciIpcWriteSafe(ends[0], bytes, sizeof(bytes), &nr));
	bad(NvSciIpcWriteSafe(ends[0], bytes, 1, NULL));
	bad(NvSciIpcWriteSafe(ends[0] + 256, bytes, 1, &nr));
	bad(NvSciIpcReadSafe(ends[0], NULL, 1, &nr));
	bad(NvSciIpcReadSafe(ends[0], bytes, 0, &nr));
	bad(NvSciIpcReadSafe(ends[0], bytes, sizeof(bytes), &nr));
	bad(NvSciIpcReadSafe(ends[0], bytes, 1, NULL));
	bad(NvSciIpcReadSafe(0, bytes, 1, &nr));
	bad(NvSciIpcReadGetNextFrame(ends[0], NULL));
	bad(NvSciIpcWriteGetNextFrame(ends[0], NULL));
	bad(NvSciIpcGetEvent(ends[0], NULL));
	bad(NvSciIpcGetEndpointInfo(ends[0], NULL));
	bad(NvSciIpcGetEndpointInfo(9, &info));
	bad(NvSciIpcGetLinuxEventFd(ends[0], NULL));
	bad(NvSciIpcGetLinuxEventFd(9, &fd));
	assert_int_equal(nr, 77);
}

static void events_tell_of_the_peer(void **state)
{
	uint32_t events, nr;
	char byte = 0;

	(void)state;
	events = events_of(ends[0]);
	assert_int_equal(events, NV_SCI_IPC_EVENT_WRITE);
	assert_false(is_readable(ends[0]));
	ok(NvSciIpcResetEndpointSafe(ends[0]));
	assert_true(is_readable(ends[0]));
	events = events_of(ends[0]);
	assert_int_equal(events, NV_SCI_IPC_EVENT_CONN_EST |
			 NV_SCI_IPC_EVENT_WRITE);
	/* A later reset discards frames that have arrived. */
	ok(NvSciIpcWriteSafe(ends[1], &byte, 1, &nr));
	wait_for_event(ends[0], NV_SCI_IPC_EVENT_READ);
	ok(NvSciIpcResetEndpointSafe(ends[0]));
	is(NvSciIpcReadSafe(ends[0], &byte, 1, &nr), InsufficientMemory);
	/* Frames of a peer that has closed its end can be read. */
	ok(NvSciIpcWriteSafe(ends[1], &byte, 1, &nr));
	ok(NvSciIpcCloseEndpointSafe(ends[1], false));
	wait_for_event(ends[0], NV_SCI_IPC_EVENT_READ);
	ok(NvSciIpcReadSafe(ends[0], &byte, 1, &nr));
	assert_true(is_readable(ends[0]));
	assert_int_equal(events_of(ends[0]), NV_SCI_IPC_EVENT_CONN_RESET |
			 NV_SCI_IPC_EVENT_WRITE);
	is(NvSciIpcReadSafe(ends[0], &byte, 1, &nr), ConnectionReset);
}

/* On the board an endpoint does not learn that its peer was closed. */
static void last_frames_may_be_sent_to_a_closed_peer(void **state)
{
	NvSciIpcEndpointInfo info;
	uint32_t i, nr;
	char byte = 0;

	(void)state;
	ok(NvSciIpcGetEndpointInfo(ends[0], &info));
	ok(NvSciIpcCloseEndpointSafe(ends[1], false));
	wait_for_event(ends[0], NV_SCI_IPC_EVENT_CONN_RESET);
	for (i = 0; i < info.nframes; i++) {
		assert_true(events_of(ends[0]) & NV_SCI_IPC_EVENT_WRITE);
		ok(NvSciIpcWriteSafe(ends[0], &byte, 1, &nr));
	}
	assert_int_equal(events_of(ends[0]), NV_SCI_IPC_EVENT_CONN_RESET);
	is(NvSciIpcWriteSafe(ends[0], &byte, 1, &nr), InsufficientMemory);
}

static void what_heapsim_has_not_is_not_supported(void **state)
{
	NvSciEventLoopService *loop;
	NvSciEventNotifier *notifier;
	uint32_t errors;
	bool fits = true;

	(void)state;
	is(NvSciIpcOpenEndpointWithEventService("name", &ends[1], NULL),
	   NotSupported);
	is(NvSciIpcGetEventNotifier(ends[0], &notifier), NotSupported);
	is(NvSciIpcGetAsyncErrors(ends[0], &errors), NotSupported);
	is(NvSciIpcEnableNotification(ends[0], true), NotSupported);
	is(NvSciEventLoopServiceCreate(1, &loop), NotSupported);
	is(NvSciEventLoopServiceCreateSafe(1, NULL, &loop), NotSupported);
	bad(NvSciEventCheckVersionCompatibility(1, 0, NULL));
	ok(NvSciEventCheckVersionCompatibility(1, 0, &fits));
	assert_false(fits);
}

#define WITH_ENDS(test) \
	cmocka_unit_test_setup_teardown(test, open_ends, close_ends)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_is_there_before_init),
		cmocka_unit_test(names_are_checked),
		cmocka_unit_test(an_end_without_a_peer_answers),
		cmocka_unit_test(deinit_closes_what_is_open),
		cmocka_unit_test(a_process_has_50_ends),
		WITH_ENDS(frames_arrive_in_order),
		WITH_ENDS(what_is_not_read_of_a_frame_is_lost),
		WITH_ENDS(frames_are_read_and_written_in_place),
		WITH_ENDS(a_full_channel_says_so),
		WITH_ENDS(reads_and_writes_are_checked),
		WITH_ENDS(events_tell_of_the_peer),
		WITH_ENDS(last_frames_may_be_sent_to_a_closed_peer),
		WITH_ENDS(what_heapsim_has_not_is_not_supported),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
