'use strict';
/* An older Node cannot parse the other files, so this one is plain, old JavaScript. */
var OLDEST = '22.19';

/* The message for an older Node; undefined on a supported one. */
function tooOld() {
  var oldest = OLDEST.split('.').map(Number);
  var present = process.versions.node.split('.').map(Number);
  var fits = present[0] > oldest[0] || (present[0] === oldest[0] && present[1] >= oldest[1]);
  return fits ? undefined : `The estate needs Node ${OLDEST} or newer; this is ${process.versions.node}.`;
}

module.exports = {
  tooOld: tooOld,
  /* Throws for an older Node. */
  requireNode: () => {
    var sentence = tooOld();
    if (sentence !== undefined) throw new Error(`${sentence} Run the program that loads unified-commerce-estate with a newer one.`);
  },
};
