/** A link, digits, and text beyond ASCII. */
export const examples = [
  {
    name: "A link",
    input: {
      text: "https://example.com",
    },
    output: {
      version: 2,
      size: 25,
      svg: '<svg xmlns="http://www.w3.org/2000/svg" width="264" height="264" viewBox="0 0 33 33" shape-rendering="crispEdges"><path fill="#fff" d="M0 0h33v33H0z"/><path d="M4 4h7v1h-7zM14 4h1v1h-1zM16 4h1v1h-1zM18 4h1v1h-1zM22 4h7v1h-7zM4 5h1v1h-1zM10 5h1v1h-1zM12 5h3v1h-3zM17 5h2v1h-2zM20 5h1v1h-1zM22 5h1v1h-1zM28 5h1v1h-1zM4 6h1v1h-1zM6 6h3v1h-3zM10 6h1v1h-1zM12 6h2v1h-2zM15 6h1v1h-1zM18 6h1v1h-1zM22 6h1v1h-1zM24 6h3v1h-3zM28 6h1v1h-1zM4 7h1v1h-1zM6 7h3v1h-3zM10 7h1v1h-1zM12 7h3v1h-3zM17 7h1v1h-1zM20 7h1v1h-1zM22 7h1v1h-1zM24 7h3v1h-3zM28 7h1v1h-1zM4 8h1v1h-1zM6 8h3v1h-3zM10 8h1v1h-1zM13 8h2v1h-2zM17 8h1v1h-1zM20 8h1v1h-1zM22 8h1v1h-1zM24 8h3v1h-3zM28 8h1v1h-1zM4 9h1v1h-1zM10 9h1v1h-1zM13 9h1v1h-1zM15 9h1v1h-1zM18 9h1v1h-1zM22 9h1v1h-1zM28 9h1v1h-1zM4 10h7v1h-7zM12 10h1v1h-1zM14 10h1v1h-1zM16 10h1v1h-1zM18 10h1v1h-1zM20 10h1v1h-1zM22 10h7v1h-7zM12 11h2v1h-2zM18 11h3v1h-3zM4 12h1v1h-1zM10 12h1v1h-1zM12 12h1v1h-1zM16 12h1v1h-1zM21 12h2v1h-2zM25 12h3v1h-3zM5 13h3v1h-3zM9 13h1v1h-1zM13 13h1v1h-1zM15 13h1v1h-1zM17 13h5v1h-5zM23 13h5v1h-5zM4 14h5v1h-5zM10 14h1v1h-1zM12 14h2v1h-2zM17 14h4v1h-4zM23 14h1v1h-1zM25 14h1v1h-1zM27 14h2v1h-2zM4 15h2v1h-2zM8 15h2v1h-2zM12 15h4v1h-4zM17 15h1v1h-1zM20 15h1v1h-1zM22 15h2v1h-2zM25 15h1v1h-1zM28 15h1v1h-1zM7 16h6v1h-6zM14 16h1v1h-1zM16 16h2v1h-2zM19 16h2v1h-2zM22 16h2v1h-2zM28 16h1v1h-1zM4 17h3v1h-3zM8 17h1v1h-1zM12 17h3v1h-3zM19 17h2v1h-2zM23 17h1v1h-1zM27 17h1v1h-1zM4 18h1v1h-1zM10 18h2v1h-2zM14 18h3v1h-3zM19 18h1v1h-1zM22 18h4v1h-4zM27 18h2v1h-2zM4 19h1v1h-1zM6 19h1v1h-1zM8 19h1v1h-1zM11 19h5v1h-5zM21 19h3v1h-3zM25 19h2v1h-2zM28 19h1v1h-1zM4 20h1v1h-1zM6 20h1v1h-1zM9 20h2v1h-2zM12 20h4v1h-4zM20 20h5v1h-5zM26 20h1v1h-1zM12 21h1v1h-1zM16 21h3v1h-3zM20 21h1v1h-1zM24 21h1v1h-1zM4 22h7v1h-7zM14 22h2v1h-2zM20 22h1v1h-1zM22 22h1v1h-1zM24 22h1v1h-1zM28 22h1v1h-1zM4 23h1v1h-1zM10 23h1v1h-1zM16 23h2v1h-2zM19 23h2v1h-2zM24 23h1v1h-1zM27 23h1v1h-1zM4 24h1v1h-1zM6 24h3v1h-3zM10 24h1v1h-1zM13 24h2v1h-2zM16 24h1v1h-1zM18 24h7v1h-7zM26 24h1v1h-1zM28 24h1v1h-1zM4 25h1v1h-1zM6 25h3v1h-3zM10 25h1v1h-1zM13 25h2v1h-2zM18 25h1v1h-1zM20 25h3v1h-3zM27 25h2v1h-2zM4 26h1v1h-1zM6 26h3v1h-3zM10 26h1v1h-1zM13 26h4v1h-4zM19 26h1v1h-1zM25 26h2v1h-2zM28 26h1v1h-1zM4 27h1v1h-1zM10 27h1v1h-1zM13 27h1v1h-1zM15 27h1v1h-1zM18 27h4v1h-4zM23 27h2v1h-2zM28 27h1v1h-1zM4 28h7v1h-7zM12 28h3v1h-3zM17 28h2v1h-2zM20 28h1v1h-1zM22 28h1v1h-1zM25 28h1v1h-1zM28 28h1v1h-1z"/></svg>',
      png: "iVBORw0KGgoAAAANSUhEUgAAAQgAAAEIAQAAAACLjVdSAAAA6ElEQVR4nO2WWQ7EMAhDuf+lM0qwDdV0OYChVdUk78vCDrG+KoYYPaY/xg3P6RBZZ7mfvmNJQJqzF6T6oRuxz/Z3r6FcLsyJBPjvTmzJhihHrdZB954zIZCv7XnIZA+Cha24bvoRuoFKwgINCcWrmgdfU0J+OhTuISw9CTUNMrdmFUeCokGmfJcvIUMxcv+vZS8CooFRL4UtgWldKYs+MibSR5pReG5JsOiqspMnkXGb51RQlCPRxGOy8EL2JDiaaITNvyGkTmsnZ4LTCXrFlcC3MLrKk2Bi5NAG0Jd4rSFGj+mPccO6rR9ssvlKPzThRwAAAABJRU5ErkJggg==",
    },
  },
  {
    name: "Digits need less space",
    input: {
      text: "0123456789",
      correction: "high" as const,
      border: 2,
      scale: 2,
    },
    output: {
      version: 1,
      size: 21,
      svg: '<svg xmlns="http://www.w3.org/2000/svg" width="200" height="200" viewBox="0 0 25 25" shape-rendering="crispEdges"><path fill="#fff" d="M0 0h25v25H0z"/><path d="M2 2h7v1h-7zM11 2h1v1h-1zM16 2h7v1h-7zM2 3h1v1h-1zM8 3h1v1h-1zM12 3h3v1h-3zM16 3h1v1h-1zM22 3h1v1h-1zM2 4h1v1h-1zM4 4h3v1h-3zM8 4h1v1h-1zM10 4h1v1h-1zM12 4h1v1h-1zM14 4h1v1h-1zM16 4h1v1h-1zM18 4h3v1h-3zM22 4h1v1h-1zM2 5h1v1h-1zM4 5h3v1h-3zM8 5h1v1h-1zM10 5h2v1h-2zM14 5h1v1h-1zM16 5h1v1h-1zM18 5h3v1h-3zM22 5h1v1h-1zM2 6h1v1h-1zM4 6h3v1h-3zM8 6h1v1h-1zM11 6h3v1h-3zM16 6h1v1h-1zM18 6h3v1h-3zM22 6h1v1h-1zM2 7h1v1h-1zM8 7h1v1h-1zM12 7h2v1h-2zM16 7h1v1h-1zM22 7h1v1h-1zM2 8h7v1h-7zM10 8h1v1h-1zM12 8h1v1h-1zM14 8h1v1h-1zM16 8h7v1h-7zM12 9h1v1h-1zM14 9h1v1h-1zM5 10h2v1h-2zM8 10h2v1h-2zM11 10h1v1h-1zM14 10h1v1h-1zM19 10h2v1h-2zM4 11h1v1h-1zM6 11h2v1h-2zM11 11h2v1h-2zM15 11h1v1h-1zM17 11h4v1h-4zM22 11h1v1h-1zM4 12h1v1h-1zM6 12h1v1h-1zM8 12h3v1h-3zM14 12h1v1h-1zM17 12h1v1h-1zM20 12h2v1h-2zM3 13h1v1h-1zM5 13h3v1h-3zM9 13h1v1h-1zM12 13h2v1h-2zM15 13h1v1h-1zM17 13h2v1h-2zM20 13h1v1h-1zM3 14h1v1h-1zM5 14h1v1h-1zM7 14h3v1h-3zM12 14h3v1h-3zM16 14h4v1h-4zM21 14h2v1h-2zM10 15h3v1h-3zM14 15h3v1h-3zM19 15h4v1h-4zM2 16h7v1h-7zM10 16h3v1h-3zM14 16h1v1h-1zM16 16h1v1h-1zM21 16h2v1h-2zM2 17h1v1h-1zM8 17h1v1h-1zM11 17h1v1h-1zM15 17h1v1h-1zM2 18h1v1h-1zM4 18h3v1h-3zM8 18h1v1h-1zM10 18h1v1h-1zM13 18h1v1h-1zM15 18h2v1h-2zM18 18h2v1h-2zM22 18h1v1h-1zM2 19h1v1h-1zM4 19h3v1h-3zM8 19h1v1h-1zM10 19h2v1h-2zM18 19h1v1h-1zM20 19h1v1h-1zM2 20h1v1h-1zM4 20h3v1h-3zM8 20h1v1h-1zM12 20h2v1h-2zM15 20h5v1h-5zM21 20h2v1h-2zM2 21h1v1h-1zM8 21h1v1h-1zM11 21h3v1h-3zM15 21h1v1h-1zM22 21h1v1h-1zM2 22h7v1h-7zM12 22h1v1h-1zM15 22h7v1h-7z"/></svg>',
      png: "iVBORw0KGgoAAAANSUhEUgAAADIAAAAyAQAAAAA2RLUcAAAAhUlEQVR4nIXQsQrFMAgFUCFrIL8iuAr+eiFrob8ScA3c0iQ0dng8lzN5L0qYQ79spKC0dVgyDyYRlij7Vy0fYWXtDxuJzHwZApDVP63ZuwW56yFBSX6VbT+uXC14lkR1CzTW0TNtxGJ169D+9L4mOXneuWS4RS0/ua/QjHHftJEple2ff9/wMd+BsD9eKAAAAABJRU5ErkJggg==",
    },
  },
  {
    name: "Text beyond ASCII",
    input: {
      text: "Grüße, 世界",
      correction: "low" as const,
      scale: 4,
    },
    output: {
      version: 1,
      size: 21,
      svg: '<svg xmlns="http://www.w3.org/2000/svg" width="232" height="232" viewBox="0 0 29 29" shape-rendering="crispEdges"><path fill="#fff" d="M0 0h29v29H0z"/><path d="M4 4h7v1h-7zM14 4h1v1h-1zM16 4h1v1h-1zM18 4h7v1h-7zM4 5h1v1h-1zM10 5h1v1h-1zM12 5h3v1h-3zM16 5h1v1h-1zM18 5h1v1h-1zM24 5h1v1h-1zM4 6h1v1h-1zM6 6h3v1h-3zM10 6h1v1h-1zM14 6h1v1h-1zM16 6h1v1h-1zM18 6h1v1h-1zM20 6h3v1h-3zM24 6h1v1h-1zM4 7h1v1h-1zM6 7h3v1h-3zM10 7h1v1h-1zM12 7h2v1h-2zM15 7h1v1h-1zM18 7h1v1h-1zM20 7h3v1h-3zM24 7h1v1h-1zM4 8h1v1h-1zM6 8h3v1h-3zM10 8h1v1h-1zM13 8h1v1h-1zM16 8h1v1h-1zM18 8h1v1h-1zM20 8h3v1h-3zM24 8h1v1h-1zM4 9h1v1h-1zM10 9h1v1h-1zM12 9h1v1h-1zM18 9h1v1h-1zM24 9h1v1h-1zM4 10h7v1h-7zM12 10h1v1h-1zM14 10h1v1h-1zM16 10h1v1h-1zM18 10h7v1h-7zM13 11h1v1h-1zM15 11h2v1h-2zM4 12h5v1h-5zM10 12h3v1h-3zM15 12h3v1h-3zM19 12h1v1h-1zM21 12h1v1h-1zM23 12h1v1h-1zM6 13h1v1h-1zM12 13h1v1h-1zM14 13h7v1h-7zM22 13h3v1h-3zM4 14h4v1h-4zM10 14h1v1h-1zM14 14h1v1h-1zM19 14h1v1h-1zM23 14h1v1h-1zM4 15h1v1h-1zM6 15h3v1h-3zM11 15h1v1h-1zM13 15h3v1h-3zM21 15h1v1h-1zM23 15h2v1h-2zM10 16h2v1h-2zM14 16h3v1h-3zM18 16h1v1h-1zM22 16h2v1h-2zM12 17h2v1h-2zM19 17h2v1h-2zM22 17h1v1h-1zM4 18h7v1h-7zM12 18h2v1h-2zM15 18h1v1h-1zM21 18h1v1h-1zM23 18h1v1h-1zM4 19h1v1h-1zM10 19h1v1h-1zM14 19h1v1h-1zM17 19h2v1h-2zM20 19h1v1h-1zM23 19h2v1h-2zM4 20h1v1h-1zM6 20h3v1h-3zM10 20h1v1h-1zM12 20h2v1h-2zM15 20h2v1h-2zM18 20h1v1h-1zM20 20h2v1h-2zM23 20h2v1h-2zM4 21h1v1h-1zM6 21h3v1h-3zM10 21h1v1h-1zM12 21h6v1h-6zM21 21h1v1h-1zM4 22h1v1h-1zM6 22h3v1h-3zM10 22h1v1h-1zM12 22h3v1h-3zM19 22h2v1h-2zM22 22h1v1h-1zM4 23h1v1h-1zM10 23h1v1h-1zM12 23h1v1h-1zM14 23h1v1h-1zM16 23h1v1h-1zM18 23h1v1h-1zM20 23h2v1h-2zM4 24h7v1h-7zM12 24h3v1h-3zM17 24h3v1h-3zM22 24h2v1h-2z"/></svg>',
      png: "iVBORw0KGgoAAAANSUhEUgAAAHQAAAB0AQAAAAB84SuKAAAAmUlEQVR4nOXU0QnDQAwDUG2g/bfUBipykpb0zyqFQg+C8/JxnO1z4PvC/xkATU5oTJsgEzqD2W9Ca8gfWUmotX0m0zmF5Ft9N86SeOvvxgBBQVLno6HztTJgmpaf+++c0whnToVnlzQz750TlKY2nlIo5+k8F4kir/y2nnmYpzcw7ajNVz3WzjxlINz5uIrC1c+t/eX/80/7AQlTmjVPmEtHAAAAAElFTkSuQmCC",
    },
  },
]
