// Arrays of Python by name, as the engine reads them.
#pragma once
#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bind.h"
#include "core/named_arrays.h"

// a dictionary of NumPy arrays, and what is needed to read them while it is kept
class KeptArrays {
  public:
    explicit KeptArrays(const nb::dict &arrays) {
        for (const auto &[key, value] : arrays) {
            const auto name = nb::cast<std::string>(key);
            nb::ndarray<nb::c_contig, nb::device::cpu, nb::ro> array;
            if (!nb::try_cast(value, array)) throw nb::type_error((name + " must be an array whose rows lie one after the other").c_str());
            NamedArray one;
            if (array.dtype() == nb::dtype<std::int32_t>()) one.type = NumberType::INT32;
            else if (array.dtype() == nb::dtype<double>()) one.type = NumberType::FLOAT64;
            else throw nb::type_error((name + " must hold int32 or float64").c_str());
            for (std::size_t k = 0; k < array.ndim(); ++k) one.shape.push_back(array.shape(k));
            one.data = array.data();
            arrays_.add(name, std::move(one));
            kept_.emplace_back(name, nb::cast(array));
        }
    }
    const NamedArrays &arrays() const { return arrays_; }
    // those whose names begin so are kept, the others are let go: nobody may read them from now on
    template <class Beginnings>
    void keep_only(const Beginnings &beginnings) {
        std::erase_if(kept_, [&](const auto &one) {
            return std::none_of(std::begin(beginnings), std::end(beginnings), [&](std::string_view begin) { return one.first.starts_with(begin); });
        });
        arrays_ = {};
    }

  private:
    NamedArrays arrays_;
    std::vector<std::pair<std::string, nb::object>> kept_;
};
