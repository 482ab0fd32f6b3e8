/** The words of the app's own page (web/app.html), shown when its scripts do not run. `{brand}` is the product's name. */
import { texts } from './texts.ts'

export const APP_PAGE = {
  lost: texts('The app could not be loaded.'),
  again: texts('Load again'),
  noScript: texts('{brand} needs JavaScript to open your account. The public pages work without it.'),
}
