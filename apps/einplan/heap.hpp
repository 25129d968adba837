// einplan's heap: where plans are large, what lists were is given back at once when they are done with. By themselves
// heaps keep even megabytes for a while, where they lie between others: a third of einplan's memory on a thousand
// ranks, whose lists all grow together. Where plans are small that is what makes hundreds of them quickly: memory that
// is given back is taken again, page by page.
#pragma once

namespace ein::apps {

/// Before anything large is made. @param calls  kernel calls of a plan
void give_back_blocks_of(double calls);

}  // namespace ein::apps
