#include "meter.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void *metered_take(void *self, size_t bytes)
{
    meter *m = self;
    const berth_port libc = berth_port_of_libc();
    ++m->calls;
    if (m->failing != 0 &&
        (m->calls == m->failing || (m->for_good && m->calls > m->failing))) {
        return NULL;
    }
    ++m->taken;
    return libc.take(libc.self, bytes);
}

static void metered_give(void *self, void *memory)
{
    meter *m = self;
    const berth_port libc = berth_port_of_libc();
    --m->taken;
    libc.give(libc.self, memory);
}

berth_port meter_port(meter *m)
{
    return (berth_port){.self = m, .take = metered_take, .give = metered_give};
}

void meter_shrink(void (*run)(meter *m, const char *name), const char *name)
{
    meter all = {0};
    run(&all, name);
    assert_int_equal(all.taken, 0);
    assert_true(all.calls > 10);
    for (uint64_t call = 1; call <= all.calls; ++call) {
        for (int for_good = 0; for_good < 2; ++for_good) {
            meter m = {.failing = call, .for_good = for_good != 0};
            run(&m, name);
            assert_int_equal(m.taken, 0);
        }
    }
}
