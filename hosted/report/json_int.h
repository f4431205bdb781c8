/* json_int.h: the parts of the object that a report becomes. */
#ifndef BERTH_HOSTED_JSON_INT_H
#define BERTH_HOSTED_JSON_INT_H

#include "stream.h"

/* {subgraph, index, name}: what every tensor is known by. */
json_t *json_tensor(const berth_report *r, uint32_t tensor);

/* Adds "shape": null where it depends on values. */
void json_put_dims(json_t *object, const berth_shapes *shapes, uint32_t tensor);

void stream_peak(stream *s, const berth_report *r);
void stream_reuse(stream *s, const berth_report *r);
void stream_budget(stream *s, const berth_report *r);
void stream_marked(stream *s, const berth_report *r, const char *key,
                   bool dynamic);
void stream_keeps(stream *s, const berth_report *r);
void stream_rules(stream *s, const berth_report *r);
void stream_what_if(stream *s, const berth_report *r);
void stream_warnings(stream *s, const berth_report *r);
void stream_timings(stream *s, const berth_report *r);
void stream_tensors(stream *s, const berth_report *r);
void stream_steps(stream *s, const berth_report *r);
void stream_runtime(stream *s, const berth_report *r);

#endif
