/** A value without spaces that breaks after its separators. */
import { Fragment } from 'react'
import { breakableParts } from '../../../../../../domain/breaks.ts'

/** Offers line breaks in a value. What is copied from the page has none. */
export const Breakable = ({ children }: { readonly children: string }) =>
  breakableParts(children).map((part, at) => (
    // The parts of one text have no identity but their place.
    <Fragment key={String(at)}>
      {at > 0 && <wbr />}
      {part}
    </Fragment>
  ))
