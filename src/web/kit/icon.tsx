/** Drawings of 24 × 24, by name: those that several pages need. They only repeat the text next to them. */
export const shapes = {
  keys: "M14.5 9.5 21 3m-4 4 2.5 2.5M15 9a5.5 5.5 0 1 1-9.5 5.3A5.5 5.5 0 0 1 15 9z",
  requests: "M4 6h16M4 12h10M4 18h13M18.5 10.5l2 1.5-2 1.5",
  statements: "M6 3.5h12v17l-3-2-3 2-3-2-3 2zM9 8h6M9 11.5h6M9 15h3",
  pause: "M8 5v14M16 5v14",
  playground: "M5 4.5v15l14-7.5z",
  menu: "M4 7h16M4 12h16M4 17h16",
  close: "M6 6l12 12M18 6 6 18",
  copy: "M9 9h11v11H9zM5 15H4V4h11v1",
  check: "M5 12.5 10 17.5 19.5 7",
  back: "M15 5l-7 7 7 7",
  next: "M9 5l7 7-7 7",
  download: "M12 4v11m-4.5-4L12 15.5 16.5 11M4.5 19.5h15",
  search: "M10.5 17a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13zm5-1.5L20 20",
  plus: "M12 5v14M5 12h14",
  out: "M10 4H5v16h5M9.5 12H20m-4-4 4 4-4 4",
} as const

export type IconName = keyof typeof shapes

/** A sign next to a text. Screen readers leave it out. */
export function Icon({ name }: { readonly name: IconName }) {
  return <Drawing shape={shapes[name]} />
}

/** @param shape the `d` of a path */
export function Drawing({ shape }: { readonly shape: string }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path d={shape} />
    </svg>
  )
}
