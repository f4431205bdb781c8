/* folder.h: every file below a folder, in the order of the names. */
#ifndef FOLDER_H
#define FOLDER_H

enum { FOLDER_PATH_BYTES = 1024 };

/* Those whose name ends in `suffix` ("": all). Folders are walked too. */
void folder_walk(const char *folder, const char *suffix,
                 void (*visit)(const char *path));

#endif
