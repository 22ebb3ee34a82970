"""3D file formats read and written with caps; independent of bodies and garments."""
