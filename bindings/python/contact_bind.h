// Contacts between Python and the engine.
#pragma once
#include <utility>

#include "bind.h"
#include "contact/contact_source.h"
#include "frame/posed_skin.h"
#include "tracked.h"

// contacts as they were given, checked
StepContacts step_contacts(const In<std::int32_t, -1> &particle, const In<double, -1> &gap, const Points &normal, const Points &velocity, const KeptTracked *tracked,
                           std::size_t particles);

// a posed skin over an array of Python, which is kept as long as anybody holds it
frame::PosedSkin posed_skin(const Points &vertices, std::size_t vertex_count);

// What a query of Python answers (toile.core.records.ContactQuery). Asked without the interpreter's lock, it takes it.
class PythonSource final : public ContactSource {
  public:
    PythonSource(nb::object query, std::size_t particles);
    ~PythonSource() override;
    bool nowhere() const override { return nowhere_; }
    const Ball *ball() const override { return ball_; }
    StepContacts find(const double *position) override;

  private:
    nb::object query_, ball_kept_, found_;
    const Ball *ball_ = nullptr;
    bool nowhere_ = false;
    std::size_t particles_;
    In<std::int32_t, -1> particle_;
    In<double, -1> gap_, grip_;
    Points normal_, velocity_;
};
