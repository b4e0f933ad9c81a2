"""First frames of fresh processes without disk caches, ours and llvmpipe's: python -m benchmarks --cold"""
