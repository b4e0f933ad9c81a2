"""Machines that code is made for: what LLVM calls them and which features generated text may ask for."""
