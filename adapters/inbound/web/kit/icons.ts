import { html, type Html } from '../../../kernel/html.ts'

/** Line icons on a 24-unit grid; only decorative, so hidden from assistive technology. */
const line = (d: string): Html =>
  html`<svg class="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false"><path d="${d}" /></svg>`

export const icons = {
  passkey: line(
    'M10 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM3 20v-1a5 5 0 0 1 5-5h3.5M17.5 16.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5zM17.5 16.5V22M17.5 19.5h2',
  ),
  link: line(
    'M10 14a4 4 0 0 0 6 .5l3-3a4 4 0 0 0-5.7-5.7L12 7M14 10a4 4 0 0 0-6-.5l-3 3a4 4 0 0 0 5.7 5.7L12 17',
  ),
  alert: line('M12 8v5M12 16.5v.01M12 3 2.5 19.5h19z'),
  info: line('M12 11v5.5M12 7.5v.01M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18z'),
  done: line('M8 12.5l2.7 2.7L16 9.5M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18z'),
  clock: line('M12 7v5l3 2M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18z'),
  lock: line('M7 11V8a5 5 0 0 1 10 0v3M5.5 11h13v9.5h-13zM12 15v2'),
  search: line('M10.5 17a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13zM15.5 15.5 20.5 20.5'),
  mail: line('M3 6h18v12.5H3zM3.5 6.5 12 13l8.5-6.5'),
  code: line('M7 3h10v18H7zM10.5 18h3M10 7h4M10 10.5h4'),
  key: line('M8 16.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9zM12.5 12H21v3.5M17.5 12v2.5'),
  device: line('M4 5h16v11H4zM2 20h20M9.5 16.5 9 20M14.5 16.5 15 20'),
  open: line('M9 5H5v14h14v-4M13 5h6v6M19 5l-8.5 8.5'),
} as const

export type IconName = keyof typeof icons
