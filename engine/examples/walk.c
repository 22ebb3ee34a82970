/* A dressed body that walks, by the C interface alone. Usage: toile_walk look.cloth walk.motion frames
 * Prints a checksum of the cloth's positions after each frame: the same on every machine, and in a browser. */
#include <stdio.h>
#include <stdlib.h>

#include "toile.h"

static uint8_t *content(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    uint8_t *bytes = NULL;
    if (file && fseek(file, 0, SEEK_END) == 0) {
        *size = (size_t)ftell(file);
        rewind(file);
        bytes = toile_alloc(*size + 1);
        if (bytes && fread(bytes, 1, *size, file) != *size) *size = 0;
    }
    if (file) fclose(file);
    return bytes;
}

static int refused(const char *what) {
    fprintf(stderr, "%s: %s\n", what, toile_error());
    return 1;
}

int main(int count, char **words) {
    if (count != 4) return fprintf(stderr, "usage: %s look.cloth walk.motion frames\n", words[0]), 2;
    size_t size = 0;
    uint8_t *bytes = content(words[1], &size);
    if (!bytes) return fprintf(stderr, "%s cannot be read\n", words[1]), 2;
    toile_scene *scene = toile_open(bytes, size);
    toile_free(bytes);
    if (!scene) return refused(words[1]);
    bytes = content(words[2], &size);
    if (!bytes) return fprintf(stderr, "%s cannot be read\n", words[2]), 2;
    if (!toile_motion(scene, bytes, size)) return refused(words[2]);
    toile_free(bytes);
    const size_t numbers = 3 * (size_t)toile_particle_count(scene);
    for (int frame = 0; frame < atoi(words[3]); ++frame) {
        if (!toile_frame(scene, 1.0 / 60)) return refused("frame");
        printf("%016llx\n", (unsigned long long)toile_checksum((const uint8_t *)toile_state(scene), numbers * sizeof(double)));
    }
    toile_close(scene);
    return 0;
}
