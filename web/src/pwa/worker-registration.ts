/** The service worker's registration, as soon as it is known. Undefined if the browser supports no service worker. */
const registered = Promise.withResolvers<ServiceWorkerRegistration | undefined>()
export const workerRegistration = registered.promise
export const setWorkerRegistration = registered.resolve
