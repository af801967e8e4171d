import { storedExamples } from "../stored-examples.ts"
import answers from "./example-answers.json"

/** The keys of these signatures were thrown away. The names and addresses are those of the test double's DNS. */
const signed = [
  "DKIM-Signature: v=1; a=rsa-sha256; c=relaxed/relaxed; d=good.example;",
  " h=Message-ID: Date: Subject: To: From; q=dns/txt; s=mail; t=1735686000;",
  " bh=4daN71HNdn/d5SSJNrmA4GnDoSU3uSw9/N1YsKJOhFc=;",
  " b=A/uAIvOdWGIPixoEm0SRs3XULtKAG9EIVvJabHm9CY1DEeTjayhZmYgqabacDR6Xf4r6t/1wC",
  " RsTFgjKhU8AwZ4JYb0/1xsuwIJaJ9v+jGgBUn0SWrtzQ2BEes4TN57VUjJHPoFscZu32f2n6a+0",
  " HOk9oSGJpnp4mJRk12mOgBtuwzN6L8c1ugZ5gf76eRwXMOx/UKrXNwtScy+nBi44skruKGJQxpD",
  " OfWkw0r9r6pIx6BQZHcOCRIYhfvoK12vdk0E7AOC6Viv1aH4OO89Nh3/DjdnNwMQ+O3vORie3LQ",
  " kNnxDwRMttJHv5ckEEghakY8V67CwD6xND5rl2UWI4iA==",
  "From: Ann <ann@good.example>",
  "To: Bob <bob@receiver.example>",
  "Subject: Lunch",
  "Date: Tue, 31 Dec 2024 23:00:00 +0000",
  "Message-ID: <1@good.example>",
  "",
  "At noon?",
  "",
].join("\r\n")
const forged = [
  "From: Ann <ann@good.example>",
  "To: Bob <bob@receiver.example>",
  "Subject: Lunch",
  "Date: Tue, 31 Dec 2024 23:00:00 +0000",
  "Message-ID: <1@good.example>",
  "",
  "Please pay the invoice.",
  "",
].join("\r\n")
const sealed = [
  "ARC-Seal: i=1; a=rsa-sha256; t=1735686000; cv=none; d=list.example; s=seal;",
  " b=rLv29XNrSuIF5dsNbybodzYU41cuaI6lGEAvuq0/vqcfNGLWo8BsmDwX/JokBQLvx9qLj6DH6",
  " B6eAGJTwTAyNxsWpg0G4VY9v80Me94WbuL+ZhFe8RJEi2sA8Y4YBH1JKELp/hHFhCk1Fy3NnNYl",
  " 557BYA6/fdFNzaq/+od4i9JhrV2TAk3aZKRUDtVm/9L9lV2W4S/AkiMsW6bxJbDm6ZJfjwTTqSL",
  " 4pLHvhr2J00y8GjPjbxBAEir6m29qB6M4qXqgSHRIj6HNCAO3i/ue1a22jHXoxSFOkT7BZntRba",
  " UB0ilmLxGP8aGYJF51Kdf1i2f+AbWXKRRpvt8gLCUMiA==",
  "ARC-Message-Signature: i=1; a=rsa-sha256; c=relaxed/relaxed;",
  " d=list.example; h=Message-ID: Date: Subject: To: From: DKIM-Signature;",
  " q=dns/txt; s=seal; t=1735686000;",
  " bh=DJw4c/rhuh5lNa2hA3WdUZvkmyxOzDcC+5J27ZkCZA0=;",
  " b=J+yYhdxRdOlyA7ajCrvzkkxauJ4s7TukfjDzXSNyuItPQXW8tvfnvlZqFl6qSjbiA7w3rprge",
  " h9pnDrOl+uR53bHX5lI5OTBkcsnub3Lx/bRCbDzq938zYBWxJSEYsHtJCju9IBFnXB4N6J+bf8c",
  " k8H9wQRAB5NoEa82fQzcCfWksK5I9ZAgGHTLIt9tu6RGR0yS5JQdprLnWcWDSjQKIrEexKbnm0E",
  " Hqi4VvLXbzMoPcd4Be8URJ8W9CpUb1bZLGhKQZFs/9PvXDRJiM5kVNb9iCyTfG5bkVmRr3Z8r5F",
  " 5ePkmgGukm+ROEkBOAHKXwp0L0T2rSe/rFTHDCXMT0tQ==",
  "ARC-Authentication-Results: i=1; list.example; dkim=pass header.d=good.example; spf=pass smtp.mailfrom=ann@good.example; dmarc=pass header.from=good.example",
  "DKIM-Signature: v=1; a=rsa-sha256; c=relaxed/relaxed; d=good.example;",
  " h=Message-ID: Date: Subject: To: From; q=dns/txt; s=mail; t=1735686000;",
  " bh=4daN71HNdn/d5SSJNrmA4GnDoSU3uSw9/N1YsKJOhFc=;",
  " b=A/uAIvOdWGIPixoEm0SRs3XULtKAG9EIVvJabHm9CY1DEeTjayhZmYgqabacDR6Xf4r6t/1wC",
  " RsTFgjKhU8AwZ4JYb0/1xsuwIJaJ9v+jGgBUn0SWrtzQ2BEes4TN57VUjJHPoFscZu32f2n6a+0",
  " HOk9oSGJpnp4mJRk12mOgBtuwzN6L8c1ugZ5gf76eRwXMOx/UKrXNwtScy+nBi44skruKGJQxpD",
  " OfWkw0r9r6pIx6BQZHcOCRIYhfvoK12vdk0E7AOC6Viv1aH4OO89Nh3/DjdnNwMQ+O3vORie3LQ",
  " kNnxDwRMttJHv5ckEEghakY8V67CwD6xND5rl2UWI4iA==",
  "From: Ann <ann@good.example>",
  "To: Bob <bob@receiver.example>",
  "Subject: Lunch",
  "Date: Tue, 31 Dec 2024 23:00:00 +0000",
  "Message-ID: <1@good.example>",
  "",
  "At noon?",
  "-- ",
  "The lunch list",
  "",
].join("\r\n")
const given = {
  now: "2025-01-01T00:00:00Z",
  dns: {
    "good.example": [
      { TXT: "v=spf1 mx include:_spf.mailer.example include:_spf.desk.example -all" },
      { MX: [10, "mail.good.example"] },
    ],
    "mail.good.example": [{ A: "93.184.215.14" }],
    "_spf.mailer.example": [{ TXT: "v=spf1 ip4:93.184.216.0/25 ~all" }],
    "_spf.desk.example": [{ TXT: "v=spf1 ip4:93.184.220.0/24 -all" }],
    "_dmarc.good.example": [{ TXT: "v=DMARC1; p=reject; rua=mailto:dmarc@good.example" }],
    "mail._domainkey.good.example": [
      {
        TXT: [
          "v=DKIM1; k=rsa; p=MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA0ajhVDpC1UVlGHvbaBkv61HLE7yEXhTMRFFLhg",
          "guS+hlb4K8QojDFDYlM1w+YmpRTNvYZfp8qkw+YR6++5pCHK8xxuzOcujxhvRj+VDYhUoqHomMdCBLL8egeaGFcJIBE02za41LXi",
          "wmwCSUIZ+JAbJ2yl49niulhRYzHYLV5oQzlfkKQ39d0VU72dqLen+LH13TWBv+AIYq79qtJkQ8ck8Pgf+FrKv/csk+lBRLgo1wCX",
          "+d9geychTOOo+oekSbI6WnNQR5fre+8JFV99g3aRFygiC5zP+RzeR6BdfvgQvMBD3kK3huBJe5iyGYjeFP4Q4Je3g0HLCZ6BMNIz",
          "GkCQIDAQAB",
        ].join(""),
      },
    ],
    "seal._domainkey.list.example": [
      {
        TXT: [
          "v=DKIM1; k=rsa; p=MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAuH3kf9MFcAJ2HWRHcHZ7MK1qMvlAXwRxU/x6A4",
          "jcX+3DCJLENHaQlKYnPWHafgvvuxcvB2fnqA8KSg90qQ4vlV3lC2yfRQ0yNV6+Tte0kzcwj/QOjG0zaliot3G6BlBbrSd+aNrfPk",
          "IuRZ9RYgMumFgK4ZG8WV+zq6eo9FkBIz4tGTJJo2dPoOoTlhJshxhynZ/ZE4PG/4pFJ6qPPHzUYDSLtoolpEeDBFZCoPbpsQab/7",
          "03rMxaAw+D2tEdMzG+j1LOF8iTYbBwy6bftqncU+ySebq0KnKIIB6d8s6lETLpX5VJNhe7x8rLX7MnV0I6A9ImWVZ3ZWJFbRHcYO",
          "JdYQIDAQAB",
        ].join(""),
      },
    ],
    "list.example": [{ TXT: "v=spf1 ip4:93.184.225.0/24 -all" }],
  },
} as const
export const examples = storedExamples({
  examples: [
    {
      name: "A signed message from its own mail server",
      input: { message: signed, ip: "93.184.215.14", helo: "mail.good.example", sender: "ann@good.example" },
      output: answers.signed,
      given,
    },
    {
      name: "A forged message",
      input: { message: forged, ip: "93.184.215.20", helo: "host.none.example", sender: "ann@good.example" },
      output: answers.forged,
      given,
    },
    {
      name: "A message that a mailing list has changed and sealed (ARC)",
      input: { message: sealed, ip: "93.184.225.7", sender: "bounces@list.example" },
      output: answers.sealed,
      given,
    },
  ],
})
