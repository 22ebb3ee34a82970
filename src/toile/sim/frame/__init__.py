"""One frame of cloth round a body: steps, exact repair, rest."""
