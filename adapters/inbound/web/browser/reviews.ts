import { reviewItems } from './account/reviews.ts'

const main = document.querySelector<HTMLElement>('main')
if (main) reviewItems(main)
