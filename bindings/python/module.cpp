// The extension module toile._kernels: collects the kernels of this folder.
#include "bind.h"

NB_MODULE(_kernels, m) {
    m.doc() = "Hot loops on arrays. Use the Python functions around them, not this module.";
    bind_raster(m);
    bind_follow(m);
    bind_implicit(m);
    bind_ellipsoids(m);
    bind_spring(m);
    bind_verlet(m);
    bind_respond(m);
    bind_ball(m);
    bind_boxes(m);
    bind_limb_maps(m);
    bind_colouring(m);
    bind_threads(m);
    bind_bvh(m);
    bind_triangle_pairs(m);
    bind_proximity(m);
    bind_untangle(m);
    bind_cloth(m);
    bind_contact(m);
    bind_walker(m);
    bind_scene(m);
    bind_skinning(m);
    bind_pose(m);
    bind_skin_travel(m);
    bind_figure(m);
}
