/* Property: what report_rig.h says of every report, of any model. Input that
 * looks like a .tflite file is one; any other bytes are the recipe of a strange
 * model. The first byte chooses the options. */
#include "report_rig.h"
#include "strange_model.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > 9 && memcmp(data + 5, "TFL3", 4) == 0) {
        uint8_t *file = malloc(size - 1); /* aligned, and ends where it ends */
        if (file == NULL) {
            abort();
        }
        memcpy(file, data + 1, size - 1);
        (void)report_rig_check((berth_bytes){file, size - 1}, data[0]);
        free(file);
    } else if (size > 0) {
        mb *builder = mb_new();
        (void)report_rig_check(strange_model(builder, data + 1, size - 1),
                               data[0]);
        mb_free(builder);
    }
    return 0;
}
