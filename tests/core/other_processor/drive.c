/* Drives a vehicle with a step compiled for this processor: `drive START STATE`.

   START: what emit.py wrote (start.bin). STATE: gets the bytes of the vehicle's state after the last tick. The step is
   numba's `bound` of physics/tick/sequence.py; arrays are handed over as numba does it. */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct array { void *owner, *parent; int64_t count, item; void *data; int64_t shape, stride; };

#define ARRAY void *, void *, int64_t, int64_t, void *, int64_t, int64_t
#define PASSED(a) a.owner, a.parent, a.count, a.item, a.data, a.shape, a.stride
extern int32_t step(int64_t *result, void **raised, ARRAY, ARRAY, ARRAY, double dt) __asm__(STEP_NAME);

/* numba counts references to arrays; nobody here owns them. */
void NRT_incref(void *owner) { (void)owner; }
void NRT_decref(void *owner) { (void)owner; }

static FILE *start;

static void *take(size_t size)
{
    void *bytes = aligned_alloc(64, (size + 64) / 64 * 64);
    if (!bytes || fread(bytes, 1, size, start) != size) {
        fprintf(stderr, "START is too short\n");
        exit(2);
    }
    return bytes;
}

static struct array one_dimension(void *data, int64_t count, int64_t item)
{
    struct array made = {NULL, NULL, count, item, data, count, item};
    return made;
}

int main(int count, char **words)
{
    if (count != 3 || !(start = fopen(words[1], "rb"))) {
        fprintf(stderr, "usage: drive START STATE\n");
        return 2;
    }
    int64_t *head = take(7 * sizeof *head); /* lengths: table, blobs, data, external, command, ticks; blob of the state */
    int64_t *table = take(head[0] * sizeof *table);
    int64_t (*blobs)[3] = take(head[1] * sizeof *blobs); /* place in the table, place in the data, bytes */
    double dt = *(double *)take(sizeof dt);
    char *data = take(head[2]);
    for (int64_t k = 0; k < head[1]; k++)
        table[blobs[k][0]] = (int64_t)(data + blobs[k][1]);
    struct array at = one_dimension(table, head[0], sizeof *table);
    struct array external = one_dimension(take(head[3]), 1, head[3]);
    char *commands = take(head[4] * head[5]);
    for (int64_t tick = 0; tick < head[5]; tick++) {
        int64_t fault = 0;
        void *raised = NULL;
        struct array command = one_dimension(commands + tick * head[4], 1, head[4]);
        if (step(&fault, &raised, PASSED(at), PASSED(external), PASSED(command), dt) || fault) {
            fprintf(stderr, "fault %lld in tick %lld\n", (long long)fault, (long long)tick);
            return 1;
        }
    }
    FILE *state = fopen(words[2], "wb");
    int64_t *place = blobs[head[6]];
    return !state || fwrite(data + place[1], 1, place[2], state) != (size_t)place[2] || fclose(state);
}
