/* The mean of a vector over all devices, each of which calls this from a thread of its own.

   Who waits does not sleep: waking a thread costs more than what is computed between two means. A short wait spins, a
   longer one lets other threads run, a long one naps. */

#define _POSIX_C_SOURCE 200809L

#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <time.h>

#include "xla/ffi/api/c_api.h"

#define MOST_DEVICES 64
#define SPINS 4000       /* some 50 microseconds */
#define YIELDS 4000
#ifndef NAPS
#define NAPS 10000000L   /* minutes */
#endif
#define NAP_NANOSECONDS 20000

static struct {
    _Alignas(64) atomic_uint arrived;
    _Alignas(64) atomic_uint round;
    atomic_int is_broken;
    _Alignas(64) struct {
        const float *share;
        int64_t size, run;
    } brought[MOST_DEVICES];
} meeting;

static void pause_briefly(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

/* Returns 0 if the others did not come, now or once before: some are then still counted as arrived. */
static int wait_for_all(unsigned devices)
{
    if (atomic_load(&meeting.is_broken)) return 0;
    const struct timespec nap = {0, NAP_NANOSECONDS};
    const unsigned round = atomic_load(&meeting.round);
    if (atomic_fetch_add(&meeting.arrived, 1) + 1 == devices) {
        atomic_store(&meeting.arrived, 0);
        atomic_fetch_add(&meeting.round, 1);
        return 1;
    }
    for (long waited = 0; atomic_load_explicit(&meeting.round, memory_order_acquire) == round; waited++) {
        if (waited < SPINS) pause_briefly();
        else if (waited < SPINS + YIELDS) sched_yield();
        else if (waited < SPINS + YIELDS + NAPS) nanosleep(&nap, NULL);
        else {
            atomic_store(&meeting.is_broken, 1);
            return 0;
        }
    }
    return 1;
}

static XLA_FFI_Error *failed(const XLA_FFI_CallFrame *frame, const char *message)
{
    XLA_FFI_Error_Create_Args args = {0};
    args.struct_size = XLA_FFI_Error_Create_Args_STRUCT_SIZE;
    args.message = message;
    args.errc = XLA_FFI_Error_Code_INTERNAL;
    return frame->api->XLA_FFI_Error_Create(&args);
}

static int64_t size_of(const XLA_FFI_Buffer *buffer)
{
    int64_t size = 1;
    for (int64_t i = 0; i < buffer->rank; i++) size *= buffer->dims[i];
    return size;
}

/* XLA asks once which version of the interface this was made for. */
static int was_asked_for_version(const XLA_FFI_CallFrame *frame)
{
    XLA_FFI_Extension_Base *extension = frame->extension_start;
    if (extension == NULL || extension->type != XLA_FFI_Extension_Metadata) return 0;
    XLA_FFI_Api_Version *version = &((XLA_FFI_Metadata_Extension *)extension)->metadata->api_version;
    version->major_version = XLA_FFI_API_MAJOR;
    version->minor_version = XLA_FFI_API_MINOR;
    return 1;
}

/* A number of its own for every call of a program. */
static XLA_FFI_Error *find_run(const XLA_FFI_CallFrame *frame, int64_t *run)
{
    XLA_FFI_RunId_Get_Args args = {0};
    args.struct_size = XLA_FFI_RunId_Get_Args_STRUCT_SIZE;
    args.ctx = frame->ctx;
    XLA_FFI_Error *error = frame->api->XLA_FFI_RunId_Get(&args);
    *run = args.run_id;
    return error;
}

XLA_FFI_Error *mean_over_devices(XLA_FFI_CallFrame *frame);
XLA_FFI_Error *pass_after(XLA_FFI_CallFrame *frame);

/* (vector, [own index, number of devices]) -> the mean vector. */
XLA_FFI_Error *mean_over_devices(XLA_FFI_CallFrame *frame)
{
    if (was_asked_for_version(frame)) return NULL;
    const XLA_FFI_Buffer *own = frame->args.args[0], *who = frame->args.args[1];
    const XLA_FFI_Buffer *result = frame->rets.rets[0];
    const int32_t index = ((const int32_t *)who->data)[0], devices = ((const int32_t *)who->data)[1];
    const int64_t size = size_of(own);
    if (devices > MOST_DEVICES) return failed(frame, "too many devices");

    int64_t run;
    XLA_FFI_Error *error = find_run(frame, &run);
    if (error != NULL) return error;
    meeting.brought[index].run = run;
    meeting.brought[index].share = own->data;
    meeting.brought[index].size = size;
    if (!wait_for_all(devices)) return failed(frame, "the other devices did not come to the mean over devices");
    int is_same = 1;
    for (int32_t device = 0; device < devices; device++)
        is_same &= meeting.brought[device].size == size && meeting.brought[device].run == run;
    if (is_same) {
        float *restrict mean = result->data;
        const float *restrict first = meeting.brought[0].share;
        for (int64_t i = 0; i < size; i++) mean[i] = first[i];
        for (int32_t device = 1; device < devices; device++) {
            const float *restrict share = meeting.brought[device].share;
            for (int64_t i = 0; i < size; i++) mean[i] += share[i];
        }
        for (int64_t i = 0; i < size; i++) mean[i] /= (float)devices;
    }
    /* Nobody leaves, and reuses what was brought, before all have read it. */
    if (!wait_for_all(devices)) return failed(frame, "the other devices did not stay for the mean over devices");
    return is_same ? NULL : failed(frame, "devices brought vectors of different sizes, or of different programs, to one mean");
}

/* (x, anything) -> x, once anything is known: a dependency that no compiler can take away. */
XLA_FFI_Error *pass_after(XLA_FFI_CallFrame *frame)
{
    if (was_asked_for_version(frame)) return NULL;
    const XLA_FFI_Buffer *given = frame->args.args[0], *result = frame->rets.rets[0];
    for (int64_t i = 0; i < size_of(given); i++) ((int32_t *)result->data)[i] = ((const int32_t *)given->data)[i];
    return NULL;
}
