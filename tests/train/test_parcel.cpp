#include <glassbox/random/threefry.h>
#include <glassbox/tensor/memory.h>
#include <glassbox/train/detail/upload_buffer.h>

#include "support/compare.h"
#include "support/devices.h"

using namespace glassbox;
using namespace glassbox::detail;
using namespace glassbox_test;

DEVICE_TEST(
    "an upload buffer: parts of any type arrive, each on its own cache line, and again with other numbers") {
    UploadBuffer upload;
    const auto words = upload.add<TwoWords>(9);
    const auto none = upload.add<TwoWords>(0);
    const auto x = upload.add<real>(6);
    upload.pack(device);
    CHECK(words.at == 0);
    CHECK(none.at == x.at);
    CHECK(x.at % 16 == 0);
    CHECK(static_cast<std::size_t>(x.at) * sizeof(real) >= 9 * sizeof(TwoWords));
    for (const std::uint32_t round : {1u, 2u}) {
        std::vector<TwoWords> sent, got(9);
        for (std::uint32_t i = 0; i < 9; ++i) sent.push_back({round, i});
        const real first = static_cast<real>(round);
        upload.write<TwoWords>(words, sent);
        upload.write<TwoWords>(none, {});
        upload.write<real>(x, std::vector<real>{first, 2, 3, 4, 5, 6});
        upload.send();
        memory(device).to_host(got.data(), upload.device_pointer(words), words.bytes());
        for (std::size_t i = 0; i < 9; ++i) {
            CHECK(got[i].first == sent[i].first);
            CHECK(got[i].second == sent[i].second);
        }
        check_close(upload.tensor(x, {2, 3}), Tensor{{first, 2, 3}, {4, 5, 6}}, exact, "x");
    }
}
