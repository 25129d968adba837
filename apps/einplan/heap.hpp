// einplan's heap: lists that grow large are given back when they are done with. By themselves heaps keep even
// megabytes, where they lie between others: a third of einplan's memory on a thousand ranks, whose lists all grow
// together.
#pragma once

namespace ein::apps {

/// Once, before anything large is made.
void give_back_large_blocks();

}  // namespace ein::apps
