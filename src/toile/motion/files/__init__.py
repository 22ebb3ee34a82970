"""Motion files: BVH, SMPL poses, clips of avatars."""
