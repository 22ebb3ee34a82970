// Contacts with a ball: benchmarks and demonstrations drop cloth on one, and there NumPy took longer than the cloth.
#pragma once
#include "contact/contact_list.h"

// Points nearer than reach to the ball's surface: gap = |x - centre| - radius, normal = (x - centre) / |x - centre|. The ball is at rest.
ContactList ball_contacts(PointsView position, surface::Vec3 centre, double radius, double reach);
