// The files of nmt/report/page, which CMake writes into the library (nmt_embed in cmake/Embed.cmake).
#ifndef NMT_REPORT_PAGE_FILES_H_
#define NMT_REPORT_PAGE_FILES_H_

#include <string_view>

namespace nmt {

extern const std::string_view
    kPageHtml;  // with {{title}}, {{style}}, {{data}} and {{script}}, in this order
extern const std::string_view kPageCss;
extern const std::string_view kPageScript;  // all scripts in a row

}  // namespace nmt

#endif  // NMT_REPORT_PAGE_FILES_H_
