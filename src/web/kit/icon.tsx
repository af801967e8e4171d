/** Drawings of 24 × 24, by name. They only repeat what the text beside them says. */
const shapes = {
  overview: "M4 13h6V4H4zM14 20h6v-9h-6zM4 20h6v-3H4zM14 4v3h6V4z",
  accounts:
    "M9 11a3.500 3.500 0 1 0 0-7 3.500 3.500 0 0 0 0 7zM2.500 20c.5-3.500 3-5.500 6.500-5.500s6 2 6.500 5.500M16 4.500a3.500 3.500 0 0 1 0 6M18 15c2 .7 3.200 2.400 3.500 5",
  keys: "M14.500 9.500 21 3m-4 4 2.500 2.500M15 9a5.500 5.500 0 1 1-9.500 5.300A5.500 5.500 0 0 1 15 9z",
  requests: "M4 6h16M4 12h10M4 18h13M18.500 10.500l2 1.500-2 1.500",
  errors:
    "M12 8.500v4.500m0 3.500v.1M10.300 4.200 2.800 17.500A2 2 0 0 0 4.500 20.500h15a2 2 0 0 0 1.700-3L13.700 4.200a2 2 0 0 0-3.400 0z",
  notices: "M4 6.500h16v11H4zM4.500 7l7.500 6 7.500-6",
  plans: "M12 3.500 20.500 8 12 12.500 3.500 8zM3.500 12 12 16.500 20.500 12M3.500 16 12 20.500 20.500 16",
  audit: "M7 3.500h7.500L19 8v12.500H7zM14 3.500V8h5M10 12.500h6M10 16h6",
  backups:
    "M4 7c0-1.700 3.600-3 8-3s8 1.300 8 3-3.600 3-8 3-8-1.300-8-3zm0 0v10c0 1.700 3.600 3 8 3s8-1.300 8-3V7M4 12c0 1.700 3.600 3 8 3s8-1.300 8-3",
  usage: "M4 20V4M4 20h16M8 16v-4M12.500 16V8M17 16v-6",
  pause: "M8 5v14M16 5v14",
  playground: "M5 4.500v15l14-7.500z",
  webhook:
    "M9 8.500a3.500 3.500 0 1 1 5.500 2.800L17 16M12 8l-3.500 7.500M6.500 13.200A3.500 3.500 0 1 0 10 17.500h6m0 0a3 3 0 1 0 3-4.200",
  menu: "M4 7h16M4 12h16M4 17h16",
  close: "M6 6l12 12M18 6 6 18",
  copy: "M9 9h11v11H9zM5 15H4V4h11v1",
  check: "M5 12.500 10 17.500 19.500 7",
  back: "M15 5l-7 7 7 7",
  next: "M9 5l7 7-7 7",
  download: "M12 4v11m-4.500-4L12 15.500 16.500 11M4.500 19.500h15",
  search: "M10.500 17a6.500 6.500 0 1 0 0-13 6.500 6.500 0 0 0 0 13zm5-1.500L20 20",
  plus: "M12 5v14M5 12h14",
  out: "M10 4H5v16h5M9.500 12H20m-4-4 4 4-4 4",
} as const

export type IconName = keyof typeof shapes

export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path d={shapes[name]} />
    </svg>
  )
}
