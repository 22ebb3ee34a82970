"""Any motion on any body: transfer, foot contacts, limbs kept out of each other."""
