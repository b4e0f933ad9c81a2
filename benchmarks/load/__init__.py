"""Other load on the machine: rounds that lost a processor, and workloads on processors that other processes keep busy."""
