/* Threads that wait for ranges of rows. The caller works too, so that one
 * thread is none. */
#include "berth/hosted/run.h"

#include <pthread.h>
#include <stdatomic.h>

struct berth_threads {
    berth_port *port;
    berth_block block;
    pthread_t *workers;
    uint32_t worker_count;
    pthread_mutex_t lock;
    pthread_cond_t begin;
    pthread_cond_t finished;
    uint64_t round;   /* of work; guarded by lock, as are those below */
    uint32_t waiting; /* workers that have not finished this round */
    bool stop;
    void (*work)(void *task, uint32_t i);
    void *task;
    uint32_t count;
    atomic_uint next; /* the first part that nobody has taken */
};

static void take_parts(berth_threads *threads)
{
    for (;;) {
        const uint32_t i = atomic_fetch_add(&threads->next, 1u);
        if (i >= threads->count) {
            return;
        }
        threads->work(threads->task, i);
    }
}

static void *wait_for_work(void *self)
{
    berth_threads *threads = self;
    uint64_t seen = 0;
    (void)pthread_mutex_lock(&threads->lock);
    for (;;) {
        while (threads->round == seen && !threads->stop) {
            (void)pthread_cond_wait(&threads->begin, &threads->lock);
        }
        if (threads->stop) {
            break;
        }
        seen = threads->round;
        (void)pthread_mutex_unlock(&threads->lock);
        take_parts(threads);
        (void)pthread_mutex_lock(&threads->lock);
        if (--threads->waiting == 0) {
            (void)pthread_cond_signal(&threads->finished);
        }
    }
    (void)pthread_mutex_unlock(&threads->lock);
    return NULL;
}

berth_threads *berth_threads_open(berth_port *port, uint32_t count)
{
    const uint32_t workers = count > 1 ? count - 1 : 0;
    berth_block block;
    if (!berth_block_take(port,
                          sizeof(berth_threads) + workers * sizeof(pthread_t),
                          &block)) {
        return NULL;
    }
    berth_threads *threads = block.memory;
    *threads = (berth_threads){.port = port, .block = block};
    threads->workers = (pthread_t *)(threads + 1);
    (void)pthread_mutex_init(&threads->lock, NULL);
    (void)pthread_cond_init(&threads->begin, NULL);
    (void)pthread_cond_init(&threads->finished, NULL);
    while (threads->worker_count < workers) {
        if (pthread_create(&threads->workers[threads->worker_count], NULL,
                           wait_for_work, threads) != 0) {
            berth_threads_close(threads);
            return NULL;
        }
        ++threads->worker_count;
    }
    return threads;
}

void berth_threads_close(berth_threads *threads)
{
    (void)pthread_mutex_lock(&threads->lock);
    threads->stop = true;
    (void)pthread_cond_broadcast(&threads->begin);
    (void)pthread_mutex_unlock(&threads->lock);
    for (uint32_t i = 0; i < threads->worker_count; ++i) {
        (void)pthread_join(threads->workers[i], NULL);
    }
    (void)pthread_cond_destroy(&threads->finished);
    (void)pthread_cond_destroy(&threads->begin);
    (void)pthread_mutex_destroy(&threads->lock);
    berth_block block = threads->block;
    berth_block_give(threads->port, &block);
}

void berth_threads_share(void *self, uint32_t count,
                         void (*work)(void *task, uint32_t i), void *task)
{
    berth_threads *threads = self;
    (void)pthread_mutex_lock(&threads->lock);
    threads->work = work;
    threads->task = task;
    threads->count = count;
    atomic_store(&threads->next, 0u);
    threads->waiting = threads->worker_count;
    ++threads->round;
    (void)pthread_cond_broadcast(&threads->begin);
    (void)pthread_mutex_unlock(&threads->lock);
    take_parts(threads);
    (void)pthread_mutex_lock(&threads->lock);
    while (threads->waiting > 0) {
        (void)pthread_cond_wait(&threads->finished, &threads->lock);
    }
    (void)pthread_mutex_unlock(&threads->lock);
}
