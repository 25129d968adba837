mpirun -n 4 --mca orte_allowed_exit_without_sync 1 --mca oob_tcp_keepalive_time 10 --mca oob_tcp_keepalive_intvl 2 --mca oob_tcp_keepalive_probes 3 einrun attention.sched
