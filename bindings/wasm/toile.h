/* Toile for games and browsers: a dressed body in motion, frame by frame, behind plain C.
 *
 * Lengths are metres, times seconds, y is up, the body faces +z. A scene is opened from the bytes of a prepared scene (docs/scene-file.md) and belongs
 * to one thread at a time. What fails returns 0 (or a null pointer); toile_error() then says why, in one line. The same calls give the same bits on
 * every machine and with any number of threads.
 *
 *     toile_scene *scene = toile_open(bytes, size);
 *     int walk = toile_motion(scene, motion_bytes, motion_size);
 *     for (;;) {
 *         toile_frame(scene, 1.0 / 60);
 *         draw(toile_positions(scene), toile_joints(scene));
 *     }
 */
#ifndef TOILE_H
#define TOILE_H
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#if defined(_WIN32)
#define TOILE_API __declspec(dllexport)
#else
#define TOILE_API __attribute__((visibility("default"), used))
#endif

typedef struct toile_scene toile_scene;

/* why the last call failed; "" when none has */
TOILE_API const char *toile_error(void);
/* memory for bytes that are handed over, on a multiple of 64; null: there is none */
TOILE_API void *toile_alloc(size_t size);
TOILE_API void toile_free(void *memory);
/* what the head of a file of arrays says about the bytes after it (core/named_arrays.h) */
TOILE_API uint64_t toile_checksum(const uint8_t *bytes, size_t size);
/* threads to compute with, where there are some */
TOILE_API void toile_threads(int count);

/* A scene from the bytes of its arrays (core/named_arrays.h), which are checked and copied. */
TOILE_API toile_scene *toile_open(const uint8_t *bytes, size_t size);
TOILE_API void toile_close(toile_scene *scene);

TOILE_API int toile_particle_count(const toile_scene *scene);
TOILE_API int toile_joint_count(const toile_scene *scene);

/* A motion for this scene's body, from the bytes of its arrays; returns its number, from 1. The first one plays. */
TOILE_API int toile_motion(toile_scene *scene, const uint8_t *bytes, size_t size);
/* goes over to a motion within so many seconds; the body stays where it is on the floor */
TOILE_API int toile_play(toile_scene *scene, int motion, double seconds);
/* how fast the motion goes: 1 as recorded, 0 stands, at most 3 */
TOILE_API int toile_speed(toile_scene *scene, double speed);
/* from here on the body has this pose, world from joint, (joint, 4, 4) row by row, instead of a motion; null: the motion again */
TOILE_API int toile_pose(toile_scene *scene, const double *world_from_joint);

/* velocity of the air [m/s] */
TOILE_API int toile_wind(toile_scene *scene, double x, double y, double z);
/* pulls softly at the cloth round a particle; the target is the particle's place until it is moved */
TOILE_API int toile_grab(toile_scene *scene, int particle);
TOILE_API int toile_drag(toile_scene *scene, double x, double y, double z);
TOILE_API int toile_release(toile_scene *scene);
/* these particles stay where they are, those of the call before are free again */
TOILE_API int toile_pin(toile_scene *scene, const int32_t *particles, int count);
/* the cloth becomes that many times as heavy, stiff against stretch and bending, and rough as it was when it was opened */
TOILE_API int toile_fabric(toile_scene *scene, double mass, double stretch, double bend, double friction);

/* one frame, dt long: 1/240 to 1/20 s */
TOILE_API int toile_frame(toile_scene *scene, double dt);

/* Valid until the next call for the scene. Positions [m] and velocities [m/s], (particle, 3), as computed; positions and normals for drawing. */
TOILE_API const double *toile_state(const toile_scene *scene);
TOILE_API const double *toile_velocity(const toile_scene *scene);
TOILE_API const float *toile_positions(toile_scene *scene);
TOILE_API const float *toile_normals(toile_scene *scene);
/* how the body's joints moved from its rest pose, 3 rows of 4 each, (joint, 3, 4) */
TOILE_API const float *toile_joints(toile_scene *scene);
/* the skin's vertices (vertex, 3) [m] */
TOILE_API const double *toile_skin(const toile_scene *scene, int *count);
/* Eight figures: frames, crossings found and left in the last one, farthest repaired [m], 1 asleep, place in the motion [s], travelled x and z [m]. */
TOILE_API const double *toile_stats(const toile_scene *scene);

#ifdef __cplusplus
}
#endif
#endif
