// Cloth in a crease of the skin: an armpit, between the thighs, under a breast.
//
// The nearest skin is one side in one frame and the other side in the next, and the cloth would go to and fro between them for ever. So, while a body
// stands still, each point meets every place of the skin that is nearer than the skin round it. Such a place vanishes only where the skin goes down from
// it to one that is nearer still: by then, as cloth keeps its distance from that one, it does not touch. So whatever pushes the cloth in one frame pushes
// it in the next, and nothing has to be remembered from frame to frame.
#pragma once
#include <cstdint>
#include <vector>

#include "frame/body_steps.h"

namespace frame {

class SkinSides final : public SkinSource {
  public:
    using SkinSource::SkinSource;
    // no tracked contacts: it is asked again at each contact update, all sides count then too; hands that stand still grip
    StepContacts find(const double *position) override;

  private:
    std::vector<std::int32_t> particle_, near_;
    std::vector<double> gap_, normal_, velocity_of_, place_;
};

}  // namespace frame
