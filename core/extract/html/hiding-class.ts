/** Matches classes that move text for screen readers off the screen. */
const offScreen =
  /(?:^|\s)(?:sr-only|visually-?hidden|screen-reader-(?:text|only)|screenreader-only|offscreen|off-screen|a11y-hidden|u-hidden-visually|element-invisible)(?:\s|$)/i

/**
 * True if one of the classes hides the element. Such a class is one for screen readers, or Bootstrap's `d-none` if no other class, such as
 * `d-md-block`, shows the element on some screens.
 */
export function isHidingClass(classes: string): boolean {
  return (
    offScreen.test(classes) || (/(?:^|\s)d-none(?:\s|$)/.test(classes) && !/(?:^|\s)(?:d-\w+-|\w+:d-)/.test(classes))
  )
}
