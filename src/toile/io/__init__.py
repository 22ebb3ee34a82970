"""3D file formats read and written with caps; nothing here knows what a body or a garment is."""
