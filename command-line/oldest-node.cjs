'use strict';
/* Read by an older Node too, which could not read the other files. Hence plain, old JavaScript. */
var OLDEST = '22.19';

/* What to say to a user of an older Node; undefined on a Node that is new enough. */
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
