"""DXF files of the cutting room: entities, pieces, grade rules, and writing."""
