/* SPDX-License-Identifier: Apache-2.0 */
/* Threads: each with a handle of its own, all with the same retained profiles, while the catalog is replaced. */
#include "support/support.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { THREADS = 8 };

typedef struct shared {
    const char *path;
    const opcat_profile *profiles[2]; /* retained by the test, and by each thread on its way */
    atomic_int wrong;
    time_t until;
} shared;

static void require(shared *all, bool holds)
{
    if (!holds)
        atomic_fetch_add(&all->wrong, 1);
}

static void ignore(void *context, const char *message)
{
    (void)context;
    (void)message;
}

static void *read_on(void *context)
{
    shared *all = context;
    opcat_catalog *catalog = NULL;
    require(all, opcat_open(all->path, 0, &catalog) == OPCAT_OK);
    opcat_set_logger(catalog, ignore, NULL);
    do {
        const opcat_profile *kept = opcat_profile_retain(all->profiles[0]);
        const opcat_profile *own = NULL;
        const char *arch = NULL;
        require(all, kept->kinds[0].ops.softmax == 1);
        require(all, opcat_refresh(catalog, NULL) == OPCAT_OK);
        require(all, opcat_load_profile(catalog, "unit", &own) == OPCAT_OK && own->kinds[0].ops.softmax >= 1);
        require(all, opcat_infer_arch(catalog, "nobody knows this one", &arch) == OPCAT_OK);
        opcat_profile_retain(own);
        opcat_profile_release(own);
        opcat_profile_release(kept);
    } while (time(NULL) < all->until);
    opcat_close(catalog);
    opcat_profile_release(all->profiles[1]);
    return NULL;
}

static void threads_share_profiles_and_no_handle(void **state)
{
    char *folder = make_folder();
    char *path = format("%s/catalog.db", folder), *unit = format("%s/unit.yaml", folder);
    char *source = one_kind_profile(1);
    pthread_t threads[THREADS];
    shared all = {.path = path, .until = time(NULL) + setting("OPCAT_TEST_SECONDS", 2)};
    (void)state;
    write_text(unit, source);
    import_paths(path, unit, NULL);
    opcat_catalog *catalog = open_catalog(path, 0);
    assert_int_equal(opcat_load_profile(catalog, "unit", &all.profiles[0]), OPCAT_OK);
    all.profiles[1] = opcat_profile_retain(all.profiles[0]);
    for (int i = 1; i < THREADS; i++)
        opcat_profile_retain(all.profiles[1]);
    opcat_profile_retain(all.profiles[0]);
    opcat_close(catalog);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, read_on, &all), 0);
    for (int softmax = 2; time(NULL) < all.until; softmax++) {
        free(source);
        source = one_kind_profile(softmax);
        write_text(unit, source);
        import_paths(path, unit, NULL);
    }
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    assert_int_equal(atomic_load(&all.wrong), 0);
    opcat_profile_release(all.profiles[0]);
    free(source);
    free(unit);
    free(path);
    remove_folder(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(threads_share_profiles_and_no_handle)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
