# Open MPI, for a laptop as for a build server: more ranks than cores are fine, ranks give way while they wait, they
# are not tied to cores, and no network is needed. As root it wants to be told twice that this is meant.
# Sourced by the scripts that run ranks on this machine.
# shellcheck shell=bash
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_hwloc_base_binding_policy=none
export OMPI_MCA_btl_tcp_if_include=lo OMPI_MCA_oob_tcp_if_include=lo
# Nothing is looked for that one machine has not: libraries of InfiniBand (PSM, UCX) take 0.2 s of a start to see that.
export OMPI_MCA_pml=${OMPI_MCA_pml:-ob1} PMIX_MCA_gds=${PMIX_MCA_gds:-hash}
# mpirun goes by exit codes: without this it takes a rank that has ended for lost, one launch in a thousand.
export OMPI_MCA_orte_allowed_exit_without_sync=${OMPI_MCA_orte_allowed_exit_without_sync:-1}
if [ "$(id -u)" -eq 0 ]; then export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1; fi
