/* Every file below a folder, in the order of the names. */
#include "folder.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static bool ends_in(const char *name, const char *end)
{
    const size_t n = strlen(name);
    const size_t k = strlen(end);
    return n >= k && strcmp(name + n - k, end) == 0;
}

static int compare_names(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static bool is_folder(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

void folder_walk(const char *folder, const char *suffix,
                 void (*visit)(const char *path))
{
    struct dirent **names = NULL;
    const int count = scandir(folder, &names, NULL, compare_names);
    for (int i = 0; i < count; ++i) {
        char path[FOLDER_PATH_BYTES];
        (void)snprintf(path, sizeof(path), "%s/%s", folder, names[i]->d_name);
        if (names[i]->d_name[0] != '.' && is_folder(path)) {
            folder_walk(path, suffix, visit);
        } else if (names[i]->d_name[0] != '.' && ends_in(path, suffix)) {
            visit(path);
        }
        free(names[i]);
    }
    free(names);
}
