"""Work on many files, again and again: names of inputs and outputs, forms of reports, and `watch`, which repeats a command."""
