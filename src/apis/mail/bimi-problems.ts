import { defineProblems } from "../../values/problems.ts"

export const { problemList, problem, newProblems } = defineProblems({
  no_record: "error: no record, neither for the domain nor for its organizational domain",
  multiple_records: "error: more than one record, so that none counts",
  not_a_record: "warning: a text that is meant as a record, but does not begin with `v=BIMI1`",
  wrong_place: "warning: a record where nobody looks for it, or one of another kind in its place",
  organizational_domain: "info: the record is that of the organizational domain",
  syntax: "error: a part of the record that is not name and value, or is empty",
  repeated_tag: "error: a tag that is there before",
  unknown_tag: "info: a tag that the draft does not define; receivers ignore it",
  tag_value: "error: a value of `avp` or `lps` that the draft does not have",
  declined: "info: the record says that there is no logo",
  location: "error: no `l`, or one that is no `https:` URL with a host name",
  authority: "error: an `a` that is no `https:` URL with a host name",
  no_mark_certificate: "warning: no `a`: many receivers show logos with a mark certificate only",
  dmarc:
    "error: the DMARC policy is not `quarantine` or `reject`, for the domain and those below it: receivers show no logo",
  document_not_read: "error: a document cannot be read, since this service sends no HTTPS requests",
  document_unreachable:
    "error: the host of a document has no address, is not reached, or gives no whole reply",
  document_private_address:
    "error: the host of a document has a private or special address, and is not asked",
  document_timeout: "error: the host of a document does not answer within 10 seconds",
  document_certificate: "error: the certificate of a document's host is not valid for its name",
  document_redirect: "error: the host answers with a redirect, which is not followed",
  document_status: "error: the host answers with another status than 200",
  document_too_large: "error: a document of over 65,536 bytes, also after decompression",
  document_type: "warning: a logo that is not served as `image/svg+xml`",
  svg_xml: "error: the logo is not well-formed XML in UTF-8",
  svg_doctype: "error: the logo has a document type declaration or entities",
  svg_root: "error: the logo is not an `svg` of SVG 1.2 with the profile `tiny-ps`",
  svg_title: "error: the logo does not have one `title` with text in front of everything else",
  svg_script: "error: the logo has a script, or an attribute that runs one",
  svg_reference: "error: the logo refers to something outside of itself",
  svg_element: "error: an element that the profile does not have, or not in this place",
  svg_attribute: "error: an attribute that the profile does not have for this element",
  svg_value: "error: a value that the profile does not have for this attribute",
  svg_size: "warning: the logo has over 32,768 bytes",
  svg_view_box: "warning: the logo has no square `viewBox`",
  svg_relative_size: "warning: `width` or `height` is a percentage, which Gmail and Apple refuse",
  more: "info: problems of the logo that are left out, since there are over 50",
  mark_unreadable: "error: the mark certificate is not PEM with one to ten certificates, or has no logo",
  mark_untrusted:
    "error: the mark certificate does not lead to a root that signs marks, or is not made for marks",
  mark_expired: "error: a certificate of the chain has expired, or is not valid yet",
  mark_ends_soon: "warning: the mark certificate ends within 30 days",
  mark_domain: "error: the mark certificate is not for this domain",
  mark_logo: "error: the logo in the mark certificate is not the one of `l`",
})
export type BimiProblem = ReturnType<typeof problem>
export type BimiCode = BimiProblem["code"]
