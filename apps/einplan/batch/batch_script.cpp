#include "apps/einplan/batch/batch_script.hpp"

#include <algorithm>

#include "apps/launch_settings.hpp"
#include "lib/base/error.hpp"
#include "lib/base/text/shell_word.hpp"

namespace ein::apps {
namespace {

constexpr int most_restarts = 1000;
constexpr int seconds_to_save = 120;  // before the time limit

/// For names of jobs and logs.
std::string plain(std::string text) {
    std::replace_if(
        text.begin(), text.end(),
        [](char letter) { return !is_plain_in_shell(letter) || letter == '/' || letter == '%'; }, '-');
    return text.empty() ? "einloom" : text;
}

std::string options_of_einrun(BatchJob const& job) {
    return (job.device_memory.empty() ? "" : " --device-memory " + job.device_memory) +
           (job.spills ? " --spill-dir \"${TMPDIR:-/tmp}\"" : "");
}

std::string exports() {
    std::string out;
    for (auto const& [name, value] : launch_variables()) out += "export " + name + "=" + value + "\n";
    return out;
}

std::string head(BatchJob const& job) {
    std::string const name = plain(job.name);
    return "#!/bin/bash\n"
           "# Submit it with sbatch, in the folder of the schedule: results come into results/ there.\n"
           "# Nodes, cores and memory are for " +
           job.resources.machine +
           ".\n"
           "# What your cluster wants besides: --time, --partition, --account. docs/slurm.md says what it does.\n"
           "#SBATCH --job-name=" +
           name + " --output=" + name + "-%j.log --open-mode=append\n" + "#SBATCH " + batch_options(job.resources) +
           "\n" +
           (job.resources.too_much
                ? "# The largest node that was found has " + std::to_string(*job.resources.too_much) + "M.\n"
                : "") +
           (job.resources.warning.empty() ? "" : "# einplan's warning: " + job.resources.warning + "\n") +
           "#SBATCH --signal=B:USR1@" + std::to_string(seconds_to_save) + " --requeue\n";
}

std::string names_in_script(BatchJob const& job) {
    std::filesystem::path checkpoint = job.schedule;
    checkpoint.replace_extension(".checkpoint");
    return "\nschedule=" + shell_word(job.schedule.string()) + "\ncheckpoint=" + shell_word(checkpoint.string()) +
           "\n" + exports() + "export SRUN_CPUS_PER_TASK=${SLURM_CPUS_PER_TASK:-" +
           std::to_string(job.resources.threads) + "}\n";
}

/// What Slurm and the shell would say in words of their own.
std::string checks(BatchJob const& job) {
    std::string const ranks = std::to_string(job.resources.ranks);
    return R"sh(
refuse() { echo "$*" >&2; exit 2; }
[ -n "${SLURM_JOB_ID:-}" ] ||
    refuse "expected to run as a Slurm job, found none (SLURM_JOB_ID is not set): submit it: sbatch $0"
[ -f "$schedule" ] ||
    refuse "expected $schedule in $PWD, found none; submit in its folder, or with sbatch --chdir=FOLDER"
command -v einrun > /dev/null ||
    refuse "expected einrun on PATH, found none; load its module or set PATH, before sbatch or in this script"
[ "${SLURM_NTASKS:-)sh" +
           ranks + "}\" -ge " + ranks + R"sh( ] ||
    refuse "expected )sh" +
           ranks + (job.resources.ranks == 1 ? " task" : " tasks") +
           R"sh(, which $schedule is for, found --ntasks=$SLURM_NTASKS; submit without it," \
        "or plan for that: einplan GRAPH (or --resume $checkpoint) -n $SLURM_NTASKS --batch slurm"
[ "${SLURM_ARRAY_TASK_COUNT:-1}" -le 1 ] ||
    refuse "expected one job, found an array of $SLURM_ARRAY_TASK_COUNT: all would write $checkpoint and results;" \
        "submit without --array, or give each its own checkpoint and --out here and remove this check"
)sh";
}

/// A signal ends "wait", not the step: it is waited for again.
std::string launch(BatchJob const& job) {
    return R"sh(
# Near the time limit (SIGUSR1) the ranks save a checkpoint and end with code 75. Slurm itself tells them when the job
# is cancelled (SIGTERM). Neither then nor after SIGUSR2, which lets them save too, is it put back into the queue.
requeues=yes told='' ended=''
trap 'told=${told:-$SECONDS}; kill -USR1 "$!"' USR1
trap 'requeues=no; kill -USR1 "$!"' USR2
trap 'requeues=no ended=yes' TERM
srun )sh" + joined(srun_options(), " ") +
           " --ntasks=" + std::to_string(job.resources.ranks) +
           " \\\n    einrun \"$schedule\" --checkpoint \"$checkpoint\" --stop-at auto" + options_of_einrun(job) +
           R"sh( &
step=$!
wait "$step"
code=$?
while kill -0 "$step" 2> /dev/null; do
    wait "$step"
    code=$?
done
)sh";
}

std::string requeue() {
    std::string const signals_at = std::to_string(seconds_to_save);
    return R"sh([ "$code" -ne 138 ] || code=75   # ended by SIGUSR1: it came before einrun had begun, nothing is lost
newest=none
for folder in "$checkpoint"/[0-9][0-9][0-9][0-9][0-9][0-9]; do
    [ ! -d "$folder" ] || newest=${folder##*/}
done
if [ "$ended" = yes ] && [ "$code" -ne 0 ]; then
    echo "ended by Slurm (SIGTERM), with checkpoint $newest as the newest: after a node's failure Slurm queues the" \
        "job again by itself; after scancel, sbatch the script again; where the time limit came first, let Slurm" \
        "signal earlier then: sbatch --signal=B:USR1@600" >&2
fi
[ "$code" -eq 75 ] && [ "$requeues" = yes ] || exit "$code"

# Slurm looks every 30 s who is to be signalled, and that early too: a short limit may be near its end from the start.
if [ "${told:-31}" -le 30 ]; then
    left=$(squeue -h -j "$SLURM_JOB_ID" -o %L 2> /dev/null)
    case $left in [0-9]:[0-5][0-9] | [0-5][0-9]:[0-5][0-9])
        echo "warning: told to stop $told s after the start, with $left of the time limit left: Slurm signals" \
            ")sh" +
           signals_at + " to " + std::to_string(seconds_to_save + 30) +
           R"sh( s before the end unless it is told otherwise; give more time (sbatch --time), or let it" \
            "signal later (sbatch --signal=B:USR1@20: 20 to 50 s before the end)" >&2 ;;
    esac
fi

# Stopped with a checkpoint: again, unless the newest checkpoint has been the same for )sh" +
           std::to_string(most_tries_without_progress + 1) + R"sh( ends, or this went on too long.
before='' fruitless=0 restarts=${SLURM_RESTART_COUNT:-0}
if [ "$restarts" -gt 0 ] && [ -f "$checkpoint/.requeued" ]; then
    read -r before fruitless < "$checkpoint/.requeued"
fi
if [ "$newest" = "$before" ]; then fruitless=$((fruitless + 1)); else fruitless=0; fi
if [ "$fruitless" -ge )sh" +
           std::to_string(most_tries_without_progress) + R"sh( ]; then
    echo "not requeued: checkpoint $newest has been the newest for $fruitless requeues; the time limit is too short" \
        "to get to the next: give more (sbatch --time); einplan's line 'checkpoint' says how far apart they can be" >&2
    exit "$code"
fi
if [ "$restarts" -ge )sh" +
           std::to_string(most_restarts) + R"sh( ]; then
    echo "not requeued: this was restart $restarts; sbatch the script again to go on from checkpoint $newest" >&2
    exit "$code"
fi
mkdir -p "$checkpoint"
echo "$newest $fruitless" > "$checkpoint/.requeued"
echo "requeued with checkpoint $newest, restart $((restarts + 1))" >&2
scontrol requeue "$SLURM_JOB_ID" || exit "$code"
)sh";
}

}  // namespace

std::string slurm_script(BatchJob const& job) {
    return head(job) + names_in_script(job) + checks(job) + launch(job) + requeue();
}

std::string mpirun_command(BatchJob const& job) {
    std::string settings;
    std::string const prefix = "OMPI_MCA_";
    for (auto const& [name, value] : launch_variables())
        if (name.starts_with(prefix)) settings += " --mca " + name.substr(prefix.size()) + " " + value;
    std::string const run = "einrun " + shell_word(job.schedule.string()) + options_of_einrun(job) + "\n";
    return "mpirun -n " + std::to_string(job.resources.ranks) + settings + " " + run;
}

}  // namespace ein::apps
